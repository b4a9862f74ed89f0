#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/context.h"
#include "core/load/bytes/sources.h"
#include "core/load/pytorch/object_builder.h"
#include "core/trace/snapshot.h"

namespace snapviewer::pytorch {

/// The unread bytes of a ByteWindow, followed by the rest of its source.
class RestOfWindow : public bytes::ByteSource {
public:
    RestOfWindow(std::string_view ahead, std::uint64_t begin, bytes::ByteSource& source,
                 const std::optional<Failure>& broken)
        : ahead_(ahead), begin_(begin), source_(source), broken_(broken) {}

    std::uint64_t begin() const { return begin_; }  ///< Offset in the file of the first unread byte
    std::string_view next_piece() override {
        if (!ahead_.empty()) return std::exchange(ahead_, {});
        if (broken_) throw Failure(*broken_);
        return source_.next_piece();
    }
    bool has_contiguous_pieces() const override { return source_.has_contiguous_pieces(); }

private:
    std::string_view ahead_;
    std::uint64_t begin_;
    bytes::ByteSource& source_;
    std::optional<Failure> broken_;
};

/// A contiguous part of a source in memory. A derived reader walks through it by the pointer at_ and calls need() or
/// extend() for more bytes. Copies the pieces of the source, unless the source keeps them in memory
/// (ByteSource::has_contiguous_pieces()).
class ByteWindow {
protected:
    /// `source` must outlive this. Its first byte has the offset `begin` in the file.
    explicit ByteWindow(bytes::ByteSource& source, std::uint64_t begin = 0) : source_(source), begin_offset_(begin) {}

    /// Makes `count` bytes available from at_ on. Throws a Failure with is_cut if the source ends earlier. Passes on
    /// failures of the source.
    void need(std::uint64_t count) {
        while (static_cast<std::uint64_t>(end_ - at_) < count) {
            if (!extend()) fail_at_end();
        }
    }

    /// Appends the next piece of the source at end_. Drops the bytes before start_, and may move the others; start_, at_ and
    /// end_ are updated. Returns false at the end of the source.
    bool extend();

    /// Returns the bytes from at_ to the end of the source. The window must not be used while the result is read.
    RestOfWindow take_rest() const {
        return {
            {reinterpret_cast<const char*>(at_), static_cast<std::size_t>(end_ - at_)}, offset_of(at_), source_, broken_};
    }

    /// Returns the offset in the file of `at`, a pointer into the window.
    std::uint64_t offset_of(const std::uint8_t* at) const { return begin_offset_ + static_cast<std::uint64_t>(at - begin_); }

    /// Reads the little-endian number at at_ and advances at_. Throws as need() does.
    template <typename T>
    T take() {
        need(sizeof(T));
        at_ += sizeof(T);
        return load<T>(at_ - sizeof(T));
    }

    /// Returns the little-endian number at `from`. The window must contain all of its bytes.
    template <typename T>
    static T load(const std::uint8_t* from) {
        T value;
        std::memcpy(&value, from, sizeof(T));
        if constexpr (std::endian::native == std::endian::big) value = swap_bytes(value);
        return value;
    }

    template <typename T>
    static T swap_bytes(T value) {
        std::uint8_t raw[sizeof(T)];
        std::memcpy(raw, &value, sizeof(T));
        for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(raw[i], raw[sizeof(T) - 1 - i]);
        std::memcpy(&value, raw, sizeof(T));
        return value;
    }

    const std::uint8_t* start_ = nullptr;  ///< Begin of the item that is being read; extend() drops earlier bytes
    const std::uint8_t* at_ = nullptr;     ///< The next unread byte
    const std::uint8_t* end_ = nullptr;

private:
    std::string_view next_piece();
    [[noreturn]] void fail_at_end() const;

    bytes::ByteSource& source_;
    const std::uint8_t* begin_ = nullptr;
    std::uint64_t begin_offset_;
    std::vector<std::uint8_t> kept_;  ///< Copied bytes; used only if the source does not keep its pieces
    std::optional<Failure> broken_;   ///< Failure that ended the source, or nullopt
};

}  // namespace snapviewer::pytorch

namespace snapviewer::pytorch::pickle {

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
inline constexpr NamedOpcode k_refused_opcodes[] = {
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

}  // namespace snapviewer::pytorch::pickle

namespace snapviewer::pytorch {

/// True if bytes begin like a pickle.
bool looks_like_pickle(std::string_view front);

/// Number of first bytes that torch_save_number_end() needs.
inline constexpr std::size_t k_torch_save_front = 32;

/// Returns the offset behind the pickle of a fixed number with which torch.save's old format (not a zip) begins. Returns 0
/// for any other file.
std::size_t torch_save_number_end(std::string_view front);

/// Skips pickles that follow one another in one source, as repeated calls of pickle.dump() write them, without reading their
/// values.
class PickleParts : private ByteWindow {
public:
    /// `source` must outlive this. It begins at the byte `begin` of the file.
    explicit PickleParts(bytes::ByteSource& source, std::uint64_t begin = 0) : ByteWindow(source, begin) {}

    /// True if a pickle begins at the current position. Throws as skip_one() does.
    bool is_at_pickle();

    /// Skips the next pickle. Returns false if none follows or it is incomplete; part of it may have been skipped. Throws
    /// Failure if the source fails, but not if it breaks off.
    bool skip_one();

    /// Returns the bytes that were not skipped. This object must not be used while the result is read.
    RestOfWindow rest() const { return take_rest(); }

private:
    bool skip_instruction();
    void skip_bytes(std::uint64_t count);
    void skip_line();
};

/// The contents of a source after a pickle.
struct AfterPickle {
    std::uint32_t pickles = 0;      ///< Number of complete pickles that follow directly
    std::optional<Failure> damage;  ///< Damage of the source, which unpackers find at its end
};

/// Reads the rest of a source to its end, and counts the pickles in it if `counts` is true. Throws Failure if the source
/// fails for another reason than damage.
AfterPickle read_after_pickle(RestOfWindow rest, bool counts);

/// Logs which of a file's pickles is shown, if there are several.
void log_other_parts(Snapshot& snapshot, std::uint32_t part, std::uint32_t parts);

/// Parsers for values that pickle protocols 0 and 1 write as text. They return nullopt for malformed text.

std::optional<std::uint64_t> parse_integer(std::string_view text);  ///< -2^63 to 2^64 - 1, in two's complement
std::optional<double> parse_real(std::string_view text);
/// Returns the string in UTF-8. `text` is Latin-1 with \uXXXX and \UXXXXXXXX for other characters (Python's
/// raw-unicode-escape).
std::optional<std::string> parse_raw_unicode(std::string_view text);

/// Parses the argument of LONG1 and LONG4: a little-endian integer in two's complement. Returns nullopt if it needs more
/// than 64 bits.
std::optional<std::uint64_t> parse_long(std::string_view bytes);

/// Joins the argument of GLOBAL and INST, a line with the module and a line with the name, to "module.name". Returns ""
/// unless both lines are complete.
std::string dotted_lines(std::string_view text);
/// True if a text can be the name of a Python object: "collections.OrderedDict".
bool is_dotted_name(std::string_view text);

/// Moves the unfinished values of a pickle that broke off into their containers, outermost last, and returns the outermost
/// value. `stack` and `marks` are the two stacks of the pickle reader when the pickle broke off. Drops an incomplete dict.
Value close_open_values(ObjectBuilder& builder, std::span<const Value> stack, std::span<const std::size_t> marks);

/// Reads a pickled memory snapshot (protocols 0 to 5, from Python's writer or PyTorch's C++ writer) into columns. A pickle
/// is a program for a small machine. This implementation can only build lists, dicts, tuples, numbers and strings; it
/// refuses instructions that import, call or construct objects, and names them. The snapshot may be in a file of
/// torch.save's old format. If the pickle breaks off or is damaged, returns the part before that place if at least one event
/// or segment is complete. `part`, counted from 1, selects one of several consecutive pickles; the import log says how many
/// there are. Ignores other bytes after the end mark. `expected_bytes` is an estimate of the pickle's size. Does not collect
/// the allocations; complete_snapshot() (core/timeline) does. Throws Failure.
std::unique_ptr<Snapshot> read_pickle(bytes::ByteSource& source, std::uint64_t expected_bytes, std::uint32_t part = 1);

}  // namespace snapviewer::pytorch
