# Writes files as one C table: of each its name, without folder and endings, and its text; in the order of the names.
#   cmake -DOUT=shipped_models.c "-DFILES=a.model.json;b.model.json" -DHEADER=io/json/shipped_models.h -DTABLE=sp_shipped_model -P embed.cmake
# HEADER declares the type TABLE and the table of them, TABLEs.
list(SORT FILES)
set(text "/* Made by models/embed.cmake. */\n#include \"${HEADER}\"\n\n")
set(table "")
set(n 0)
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND text "static const unsigned char text_${n}[] = {${bytes}0};\n")
  string(APPEND table "    {\"${name}\", (const char *)text_${n}},\n")
  math(EXPR n "${n} + 1")
endforeach()
string(APPEND text "\nconst ${TABLE} ${TABLE}s[] = {\n${table}    {0, 0}};\n")
file(WRITE ${OUT} "${text}")
