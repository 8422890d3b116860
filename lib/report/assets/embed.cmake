# Writes the page's style, script and methods text as one C file, with the base64 SHA-256 of style and script: the page's content
# security policy names them, so that nothing else in the page can style or run.
#   cmake -DOUT=page_assets.c -DFOLDER=lib/report/assets -DWRAPPER=lib/wasm/statepath.js -DMODULE=statepath.wasm -P embed.cmake
# The section that decodes has a script of its own: the module's wrapper, and what_if.js. MODULE may be empty: the page does not decode.
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

# A file as numbers for an array of bytes.
function(bytes_of file out)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  set(${out} "${bytes}" PARENT_SCOPE)
endfunction()

# An asset as a string, and the hash of it: name_bytes, sp_page_name and, for scripts and styles, sp_page_name_hash.
function(add_asset name file has_hash)
  bytes_of(${file} bytes)
  string(APPEND text "static const unsigned char ${name}_bytes[] = {${bytes}0};\n"
                     "const char *const sp_page_${name} = (const char *)${name}_bytes;\n")
  if(has_hash)
    base64_of_sha256(${file} hash)
    string(APPEND text "const char *const sp_page_${name}_hash = \"${hash}\";\n")
  endif()
  set(text "${text}" PARENT_SCOPE)
endfunction()

# Files joined to one beside OUT, without comments and indentation: the bytes are for data. A page has no modules: the wrapper's exports are
# plain functions there, and everything is in one block.
function(join out before after)
  set(joined "${before}")
  foreach(file IN LISTS ARGN)
    file(READ ${file} part)
    string(APPEND joined "${part}")
  endforeach()
  string(REGEX REPLACE "/[*][^*]*[*]+([^/*][^*]*[*]+)*/" "" joined "${joined}")
  string(REGEX REPLACE "[ \n]*\n *" "\n" joined "${joined}")
  string(REGEX REPLACE "\nexport " "\n" joined "${joined}")
  file(WRITE ${out} "${joined}${after}")
endfunction()

get_filename_component(made ${OUT} DIRECTORY)
join(${made}/page_style.css "" "" ${FOLDER}/style.css ${FOLDER}/what_if.css)
# The scripts of the page are one, in this order.
join(${made}/page_script.js "" "" ${FOLDER}/script.js ${FOLDER}/steps.js ${FOLDER}/links.js ${FOLDER}/pictures.js)
join(${made}/page_what_if.js "(() => {\n" "})();\n" ${WRAPPER} ${FOLDER}/what_if.js)
set(text "/* Made from lib/report/assets/ by embed.cmake. */\n#include \"report/html/assets.h\"\n\n")
add_asset(style ${made}/page_style.css ON)
add_asset(script ${made}/page_script.js ON)
add_asset(decoding_script ${made}/page_what_if.js ON)
add_asset(methods ${FOLDER}/methods.html OFF)
set(bytes "")
set(size 0)
if(MODULE) # as gzip packs it; bytes 4 to 7 of that are the time
  file(ARCHIVE_CREATE OUTPUT ${made}/page_module.gz PATHS ${MODULE} FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
  bytes_of(${made}/page_module.gz bytes)
  string(SUBSTRING "${bytes}" 40 -1 bytes)
  string(PREPEND bytes "0x1f,0x8b,0x08,0x00,0x00,0x00,0x00,0x00,")
  file(SIZE ${made}/page_module.gz size)
endif()
string(APPEND text "const unsigned char sp_page_module[] = {${bytes}0};\nconst size_t sp_page_module_size = ${size};\n")
file(WRITE ${OUT} "${text}")
