/* What recordings, steps and options are called: texts of the library have placeholders for them. Data never has any: a file that
 * is called {step}.h5 keeps its name. */
#include "report/write/buffer.h"

#include <string.h>

#include "evaluate/work.h"

/* Longest first: the first that fits is meant. */
static const struct name {
    const char *text;
    sp_word one, many;
} names[] = {{"recording(s)", SP_RECORDING, SP_RECORDINGS},
             {"recordings", SP_RECORDINGS, SP_RECORDINGS},
             {"recording", SP_RECORDING, SP_RECORDING},
             {"step(s)", SP_STEP, SP_STEPS},
             {"steps", SP_STEPS, SP_STEPS},
             {"step", SP_STEP, SP_STEP}};

static char other_case(char c)
{
    return (char)(c ^ 0x20);
}

/* The name at the beginning of a text, perhaps with a great first letter; NULL: none. */
static const struct name *name_at(const char *text)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((*text == names[i].text[0] || *text == other_case(names[i].text[0])) &&
            !strncmp(text + 1, names[i].text + 1, strlen(names[i].text) - 1))
            return &names[i];
    return NULL;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The name that begins here or behind "a " or "A "; NULL: none. *end: behind it. */
static const struct name *read_name(const char *text, bool *with_article, const char **end)
{
    const struct name *name = name_at(text);
    *with_article = !name && (text[0] == 'a' || text[0] == 'A') && text[1] == ' ';
    if (*with_article)
        name = name_at(text + 2);
    if (name)
        *end = text + (*with_article ? 2 : 0) + strlen(name->text);
    return name;
}

/* is_great: the word begins with a capital. */
static void add_word(sp_buffer *buffer, const struct name *name, bool with_article, bool is_great,
                     int64_t count)
{
    const char *word = sp_word_of(buffer->words, count == 1 ? name->one : name->many);
    char first = word[0];
    if (with_article) {
        sp_buffer_text(buffer, is_great ? "A" : "a");
        sp_buffer_text(buffer, strchr("aeiouAEIOU", word[0]) ? "n " : " ");
    } else if (is_great && first >= 'a' && first <= 'z') {
        first = other_case(first);
    }
    sp_buffer_add(buffer, &first, 1);
    sp_buffer_text(buffer, word + 1);
}

/* An option "{=wake-trim}", "{=cv 5}", "{=preset }" before a value: "--cv 5" to users of the program,
 * "cv=5" to those of Python. Returns where the text goes on. */
static const char *add_option(sp_buffer *buffer, const char *name)
{
    const bool in_python = buffer->words && buffer->words->in_python;
    const size_t length = strcspn(name, " }"), all = strcspn(name, "}");
    sp_buffer_text(buffer, in_python ? "" : "--");
    for (size_t i = 0; i < length; i++)
        sp_buffer_add(buffer, in_python && name[i] == '-' ? "_" : name + i, 1);
    if (in_python)
        sp_buffer_text(buffer, "=");
    sp_buffer_add(buffer, name + length + (in_python && length < all),
                  all - length - (in_python && length < all));
    return name + all + (name[all] == '}');
}

const char *sp_words_placeholder(sp_buffer *buffer, const char *text, int64_t count)
{
    if (text[1] == '=')
        return add_option(buffer, text + 2);
    bool with_article;
    const char *end;
    const struct name *name = read_name(text + 1, &with_article, &end);
    if (name && *end == '}') {
        add_word(buffer, name, with_article, text[1] < 'a', count);
        return end + 1;
    }
    sp_buffer_add(buffer, text, 1);
    return text + 1;
}

void sp_buffer_words(sp_buffer *buffer, const char *text)
{
    while (text && *text) {
        const size_t n = strcspn(text, "{");
        sp_buffer_add(buffer, text, n);
        text += n;
        if (*text)
            text = sp_words_placeholder(buffer, text, 0);
    }
}

void sp_buffer_term(sp_buffer *buffer, const char *text)
{
    while (text && *text) {
        bool with_article;
        const char *end;
        const struct name *name = read_name(text, &with_article, &end);
        if (name && !is_letter(*end)) {
            add_word(buffer, name, with_article, *text < 'a', 0);
            text = end;
        } else {
            sp_buffer_add(buffer, text++, 1);
        }
    }
}
