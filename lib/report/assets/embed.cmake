# Writes the page's style, script and methods text as one C file, with the base64 SHA-256 of style and script: the page's content
# security policy names them, so that nothing else in the page can style or run.
#   cmake -DOUT=page_assets.c -DFOLDER=lib/report/assets -P embed.cmake
set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

# Three hexadecimal digits are two digits of base64; 64 of them leave one over.
function(base64_of_sha256 file out)
  file(SHA256 ${file} hex)
  set(text "")
  foreach(at RANGE 0 60 3)
    string(SUBSTRING ${hex} ${at} 3 three)
    math(EXPR high "0x${three} >> 6")
    math(EXPR low "0x${three} & 63")
    string(SUBSTRING ${alphabet} ${high} 1 first)
    string(SUBSTRING ${alphabet} ${low} 1 second)
    string(APPEND text ${first}${second})
  endforeach()
  string(SUBSTRING ${hex} 63 1 one)
  math(EXPR last "0x${one} << 2")
  string(SUBSTRING ${alphabet} ${last} 1 first)
  set(${out} "${text}${first}=" PARENT_SCOPE)
endfunction()

set(text "/* Made from lib/report/assets/ by embed.cmake. */\n#include \"report/html/assets.h\"\n\n")
# The scripts of the page are one: in the order of their names here.
execute_process(COMMAND ${CMAKE_COMMAND} -E cat ${FOLDER}/script.js ${FOLDER}/steps.js ${FOLDER}/links.js ${FOLDER}/pictures.js
                OUTPUT_FILE ${OUT}.js COMMAND_ERROR_IS_FATAL ANY)
foreach(asset style.css methods.html)
  get_filename_component(name ${asset} NAME_WE)
  file(READ ${FOLDER}/${asset} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND text "static const unsigned char ${name}_bytes[] = {${bytes}0};\n"
                     "const char *const sp_page_${name} = (const char *)${name}_bytes;\n")
endforeach()
base64_of_sha256(${FOLDER}/style.css style_hash)
base64_of_sha256(${OUT}.js script_hash)
file(READ ${OUT}.js hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(APPEND text "static const unsigned char script_bytes[] = {${bytes}0};\n"
                   "const char *const sp_page_script = (const char *)script_bytes;\n")
string(APPEND text "const char *const sp_page_style_hash = \"${style_hash}\";\n"
                   "const char *const sp_page_script_hash = \"${script_hash}\";\n")
file(WRITE ${OUT} "${text}")
