# Converts files to a C++ source: cmake -DOUTPUT=x.cpp -DNAMESPACE=a::b -DNAMES=n1;n2 -DFILES=f1;f2 -P embed.cmake defines, per file,
# `extern const std::span<const unsigned char> n1;` in NAMESPACE.
set(text "#include <span>\n\nnamespace ${NAMESPACE} {\n")
foreach(name file IN ZIP_LISTS NAMES FILES)
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
    string(APPEND text "static const unsigned char ${name}_bytes[] = {${bytes}};\n"
                       "extern const std::span<const unsigned char> ${name};\n"
                       "const std::span<const unsigned char> ${name}(${name}_bytes);\n")
endforeach()
file(WRITE ${OUTPUT} "${text}}  // namespace ${NAMESPACE}\n")
