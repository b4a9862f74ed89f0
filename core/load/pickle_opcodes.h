#pragma once

#include <cstdint>

namespace snapviewer::pickle {

/// Pickle instructions that a snapshot may contain, named as in Python's pickletools.
enum Opcode : std::uint8_t {
    k_mark = '(',
    k_stop = '.',
    k_pop = '0',
    k_pop_mark = '1',
    k_dup = '2',
    k_none = 'N',
    k_binint = 'J',
    k_binint1 = 'K',
    k_binint2 = 'M',
    k_long1 = 0x8A,
    k_long4 = 0x8B,
    k_binfloat = 'G',
    k_newtrue = 0x88,
    k_newfalse = 0x89,
    k_binunicode = 'X',
    k_short_binunicode = 0x8C,
    k_binunicode8 = 0x8D,
    k_empty_list = ']',
    k_append = 'a',
    k_appends = 'e',
    k_list = 'l',
    k_empty_tuple = ')',
    k_tuple1 = 0x85,
    k_tuple2 = 0x86,
    k_tuple3 = 0x87,
    k_tuple = 't',
    k_empty_dict = '}',
    k_setitem = 's',
    k_setitems = 'u',
    k_dict = 'd',
    k_binget = 'h',
    k_long_binget = 'j',
    k_binput = 'q',
    k_long_binput = 'r',
    k_memoize = 0x94,
    k_proto = 0x80,
    k_frame = 0x95,
    // Instructions of protocols 0 and 1, whose argument is text up to the end of the line.
    k_int = 'I',
    k_long = 'L',
    k_float = 'F',
    k_unicode = 'V',
    k_get = 'g',
    k_put = 'p',
};

/// An instruction and its name in pickletools.
struct NamedOpcode {
    std::uint8_t code;
    const char* name;
};

/// Instructions that could execute code, or that make values which no snapshot contains.
inline constexpr NamedOpcode k_refused[] = {
    {'c', "GLOBAL"},      {0x93, "STACK_GLOBAL"}, {'R', "REDUCE"},
    {'b', "BUILD"},       {'i', "INST"},          {'o', "OBJ"},
    {0x81, "NEWOBJ"},     {0x92, "NEWOBJ_EX"},    {'P', "PERSID"},
    {'Q', "BINPERSID"},   {0x82, "EXT1"},         {0x83, "EXT2"},
    {0x84, "EXT4"},       {0x97, "NEXT_BUFFER"},  {0x98, "READONLY_BUFFER"},
    {0x96, "BYTEARRAY8"}, {'B', "BINBYTES"},      {'C', "SHORT_BINBYTES"},
    {0x8E, "BINBYTES8"},  {'T', "BINSTRING"},     {'U', "SHORT_BINSTRING"},
    {'S', "STRING"},      {0x8F, "EMPTY_SET"},    {0x90, "ADDITEMS"},
    {0x91, "FROZENSET"},
};

}  // namespace snapviewer::pickle
