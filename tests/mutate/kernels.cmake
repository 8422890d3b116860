# The kernels in a third of the time that -O1 takes the compiler: they are compiled again for each bug in them (mutate.py).
set_source_files_properties(lib/decode/kernels/isa.c PROPERTIES COMPILE_OPTIONS -Og)
