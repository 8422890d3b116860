/* Completion of bash. Needs bash 4, and nothing of the package bash-completion. */
#include <stdio.h>
#include <string.h>

#include "help/completion.h"

static void head(const vocabulary *v)
{
    printf("# Completion of bash for statepath; made by `statepath help completion bash` from the tables of options.\n"
           "_statepath_files() { # WORD PATTERN\n"
           "  compopt -o filenames 2>/dev/null\n"
           "  mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -d -- \"$1\"; compgen -f -X \"!$2\" -- \"$1\" |\n"
           "    while IFS= read -r file; do [ -d \"$file\" ] || printf '%%s\\n' \"$file\"; done)\n"
           "}\n\n"
           "_statepath_words() { # PREFIX WORD WORDS\n"
           "  mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -P \"$1\" -W \"$3\" -- \"$2\")\n"
           "}\n\n"
           "_statepath_value() { # KIND WORD\n"
           "  local word=$2 open='' figures\n"
           "  case $1 in\n"
           "  words\\ *) _statepath_words '' \"$word\" \"${1#words }\" ;;\n"
           "  model)\n"
           "    _statepath_words '' \"$word\" '");
    words_print(v, (values){.kind = VALUES_MODEL}, " ");
    printf("'\n"
           "    _statepath_files \"$word\" '*.json' ;;\n"
           "  rules)\n"
           "    _statepath_value model \"$word\"\n"
           "    _statepath_words '' \"$word\" seen ;;\n"
           "  strategy)\n"
           "    _statepath_words '' \"$word\" '");
    words_print(v, (values){.kind = VALUES_STRATEGY}, " ");
    printf("'\n"
           "    [[ ${#COMPREPLY[@]} = 1 && ${COMPREPLY[0]} = *: ]] && compopt -o nospace 2>/dev/null ;;\n"
           "  strategies)\n"
           "    compopt -o nospace 2>/dev/null\n"
           "    _statepath_words \"${word%%\"${word##*,}\"}\" \"${word##*,}\" '");
    words_print(v, (values){.kind = VALUES_STRATEGY}, " ");
    printf("' ;;\n"
           "  condition)\n"
           "    compopt -o nospace 2>/dev/null\n"
           "    case $word in [\\'\\\"]*) word=${word:1} ;; esac\n"
           "    open=${word%%\"${word##*[ ;]}\"}\n"
           "    figures=(");
    figures_print();
    printf(")\n"
           "    _statepath_words \"$open\" \"${word##*[ ;]}\" \"${figures[*]}\" ;;\n"
           "  file) _statepath_files \"$word\" '*' ;;\n"
           "  file\\ *) _statepath_files \"$word\" \"*.${1#file }\" ;;\n"
           "  esac\n"
           "}\n\n"
           "_statepath() {\n"
           "  local at=$COMP_CWORD options='' value=file\n"
           "  local word=${COMP_WORDS[at]}\n"
           "  COMPREPLY=()\n"
           "  # bash cuts words at = and at colons: --model=M, argmax,beam:8,viterbi\n"
           "  [ \"$word\" = : ] && return\n"
           "  [ \"$word\" = = ] && word=''\n"
           "  while [ \"$at\" -gt 2 ] && [ \"${COMP_WORDS[at - 1]}\" = : ]; do at=$((at - 2)); done\n"
           "  [ \"$at\" = \"$COMP_CWORD\" ] || [[ $word = *,* ]] || return\n"
           "  local before=${COMP_WORDS[at - 1]}\n"
           "  [ \"$before\" = = ] && before=${COMP_WORDS[at - 2]}\n"
           "  case ${COMP_WORDS[1]} in\n");
}

static void print_value(const vocabulary *v, values of)
{
    static const char *const names[N_VALUE_KINDS] = {
        [VALUES_ANY] = "any",
        [VALUES_WORDS] = "words",
        [VALUES_COMMAND] = "words",
        [VALUES_MODEL] = "model",
        [VALUES_RULES] = "rules",
        [VALUES_STRATEGY] = "strategy",
        [VALUES_STRATEGIES] = "strategies",
        [VALUES_CONDITION] = "condition",
        [VALUES_FILE] = "file",
    };
    printf("value='%s", names[of.kind]);
    if (of.kind == VALUES_FILE && of.length)
        printf(" %.*s", of.length, of.text);
    if (of.kind == VALUES_WORDS || of.kind == VALUES_COMMAND) {
        putchar(' ');
        words_print(v, of, " ");
    }
    printf("' ;;\n");
}

/* ---- a command: its options, then its words, then the values of the options, which come before what the place says ---- */

typedef struct branch {
    const vocabulary *v;
    const usage *use;
} branch;

static void print_name(const struct poptOption *option, void *arg)
{
    (void)arg;
    if (option->longName)
        printf(" --%s", option->longName);
}

static void print_second(values first, values second, void *arg)
{
    const branch *b = arg;
    if (first.kind != VALUES_WORDS)
        return;
    printf("    3/");
    words_print(b->v, first, " | 3/");
    printf(") ");
    print_value(b->v, second);
}

static void print_first(values first, values second, void *arg)
{
    const branch *b = arg;
    (void)second;
    if (first.kind == VALUES_WORDS || first.kind == VALUES_COMMAND) {
        putchar(' ');
        words_print(b->v, first, " ");
    }
}

static void print_words(const branch *b)
{
    if (!usage_has_verbs(b->use))
        return;
    printf("    case $at/${COMP_WORDS[2]} in\n    2/*) value='words");
    usage_visit(b->use, print_first, (void *)b);
    printf("' ;;\n");
    usage_visit(b->use, print_second, (void *)b);
    printf("    esac\n");
}

static void print_option(const struct poptOption *option, void *arg)
{
    const branch *b = arg;
    if (!option->longName || !option->argDescrip)
        return;
    printf("    --%s", option->longName);
    if (option->shortName)
        printf(" | -%c", option->shortName);
    printf(") ");
    print_value(b->v, values_of(option->argDescrip, (int)strlen(option->argDescrip), b->use));
}

static void print_command(const command *c, const struct poptOption *table, void *v)
{
    branch b = {.v = v, .use = &c->use};
    printf("  %s)\n    options='", c->name);
    options_visit(table, print_name, NULL);
    printf("'\n");
    print_words(&b);
    printf("    case $before in\n");
    options_visit(table, print_option, &b);
    printf("    esac ;;\n");
}

static void foot(const vocabulary *v)
{
    branch b = {.v = v, .use = &help_usage};
    printf("  help)\n    value=any\n");
    print_words(&b);
    printf("    ;;\n"
           "  esac\n"
           "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
           "    _statepath_words '' \"$word\" '");
    words_print(v, (values){.kind = VALUES_COMMAND}, " ");
    printf(" help --help --version'\n"
           "  elif [[ $word = -* && $value != condition ]]; then\n"
           "    _statepath_words '' \"$word\" \"$options\"\n"
           "  else\n"
           "    _statepath_value \"$value\" \"$word\"\n"
           "  fi\n"
           "}\n"
           "complete -F _statepath statepath\n");
}

const shell shell_bash = {"bash", head, print_command, foot};
