#include "core/load/pickle_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>

#include "core/load/limits.h"
#include "core/load/object_builder.h"

namespace snapviewer {
namespace {

/// The instructions a snapshot may hold, by the names of Python's pickletools.
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
};

struct NamedOpcode {
    std::uint8_t code;
    const char* name;
};

/// Instructions that could make a reader do something, or that hold what a snapshot never does.
constexpr NamedOpcode k_refused[] = {
    {'c', "GLOBAL"},      {0x93, "STACK_GLOBAL"}, {'R', "REDUCE"},
    {'b', "BUILD"},       {'i', "INST"},          {'o', "OBJ"},
    {0x81, "NEWOBJ"},     {0x92, "NEWOBJ_EX"},    {'P', "PERSID"},
    {'Q', "BINPERSID"},   {0x82, "EXT1"},         {0x83, "EXT2"},
    {0x84, "EXT4"},       {0x97, "NEXT_BUFFER"},  {0x98, "READONLY_BUFFER"},
    {0x96, "BYTEARRAY8"}, {'B', "BINBYTES"},      {'C', "SHORT_BINBYTES"},
    {0x8E, "BINBYTES8"},  {'T', "BINSTRING"},     {'U', "SHORT_BINSTRING"},
    {0x8F, "EMPTY_SET"},  {0x90, "ADDITEMS"},     {0x91, "FROZENSET"},
};

constexpr std::size_t k_bytes_between_checks = 1 << 20;

class PickleMachine {
public:
    PickleMachine(MappedFile& file, Progress& progress) : file_(file), progress_(progress), bytes_(file.bytes()) {
        begin_ = reinterpret_cast<const std::uint8_t*>(bytes_.data());
        at_ = begin_;
        end_ = begin_ + bytes_.size();
    }

    std::unique_ptr<Snapshot> run() {
        builder_.expect(bytes_.size());
        while (step()) {
            if (at_ >= next_check_) check();
        }
        if (stack_.empty()) fail("ends without a value", offset());
        return builder_.finish(stack_.back());
    }

    std::uint64_t offset() const { return static_cast<std::uint64_t>(opcode_ - begin_); }

private:
    void check() {
        if (progress_.stop_requested()) fail_stopped();
        const auto done = static_cast<std::size_t>(at_ - begin_);
        progress_.update(done, bytes_.size());
        builder_.show(progress_.totals());
        file_.release_up_to(done);
        next_check_ = at_ + std::min<std::size_t>(k_bytes_between_checks, static_cast<std::size_t>(end_ - at_));
    }

    // ------------------------------------------------------------------------------------------------ bytes

    void need(std::uint64_t count) const {
        if (static_cast<std::uint64_t>(end_ - at_) < count) {
            fail("is cut short: the file ends after " + std::to_string(bytes_.size()) + " bytes, in the middle of the data",
                 offset());
        }
    }

    template <typename T>
    T take() {
        need(sizeof(T));
        T value;
        std::memcpy(&value, at_, sizeof(T));
        at_ += sizeof(T);
        if constexpr (std::endian::native == std::endian::big) value = swap_bytes(value);
        return value;
    }

    template <typename T>
    static T swap_bytes(T value) {
        auto raw = std::bit_cast<std::array<std::uint8_t, sizeof(T)>>(value);
        std::ranges::reverse(raw);
        return std::bit_cast<T>(raw);
    }

    std::uint64_t take_long(std::uint64_t length) {
        need(length);
        std::uint64_t value = 0;
        const bool negative = length > 0 && (at_[length - 1] & 0x80) != 0;
        const std::uint8_t filler = negative ? 0xFF : 0x00;
        for (std::uint64_t i = 0; i < std::max<std::uint64_t>(length, 8); ++i) {
            const std::uint8_t byte = i < length ? at_[i] : filler;
            if (i < 8) {
                value |= static_cast<std::uint64_t>(byte) << (8 * i);
            } else if (byte != filler) {
                fail("an integer needs more than 64 bits", offset());
            }
        }
        at_ += length;
        return value;
    }

    void push_text(std::uint64_t length) {
        need(length);
        push(Value::string(
            builder_.snapshot().strings.intern({reinterpret_cast<const char*>(at_), static_cast<std::size_t>(length)})));
        at_ += length;
    }

    // ------------------------------------------------------------------------------------------------ stack

    void push(Value value) {
        if (stack_.size() >= limits::k_stack_values) fail("holds more open values than any snapshot", offset());
        stack_.push_back(value);
    }

    Value pop() {
        const std::size_t floor = marks_.empty() ? 0 : marks_.back();
        if (stack_.size() <= floor) fail("takes a value where there is none", offset());
        const Value value = stack_.back();
        stack_.pop_back();
        return value;
    }

    Value& top() {
        if (stack_.empty()) fail("uses a value where there is none", offset());
        return stack_.back();
    }

    /// The values above the newest mark; the caller removes them with drop_to.
    std::size_t pop_mark() {
        if (marks_.empty()) fail("closes a group that was never opened", offset());
        const std::size_t mark = marks_.back();
        marks_.pop_back();
        return mark;
    }

    void set_items_above(std::size_t mark) {
        if (mark == 0 || (stack_.size() - mark) % 2 != 0)
            fail("sets the items of a dict without a dict or without a value", offset());
        builder_.set_items(stack_[mark - 1], std::span<const Value>(stack_).subspan(mark));
        stack_.resize(mark);
    }

    void append_above(std::size_t mark) {
        if (mark == 0) fail("appends to a list where there is none", offset());
        builder_.append(stack_[mark - 1], std::span<const Value>(stack_).subspan(mark));
        stack_.resize(mark);
    }

    void make_tuple(std::size_t first) {
        const Value tuple = builder_.new_list();
        builder_.append(tuple, std::span<const Value>(stack_).subspan(first));
        stack_.resize(first);
        push(tuple);
    }

    void make_short_tuple(std::size_t count) {
        const std::size_t floor = marks_.empty() ? 0 : marks_.back();
        if (stack_.size() < floor + count) fail("makes a tuple of values that are not there", offset());
        make_tuple(stack_.size() - count);
    }

    // ------------------------------------------------------------------------------------------------ memo

    void put(std::uint64_t index) {
        if (index > static_cast<std::uint64_t>(at_ - begin_))
            fail("numbers a remembered value higher than the file is long", offset());
        if (index >= memo_.size())
            memo_.resize(std::max<std::size_t>(index + 1, std::min<std::size_t>(2 * memo_.size(), bytes_.size())));
        memo_[index] = remember(top());
        memo_used_ = std::max(memo_used_, index + 1);
    }

    struct Remembered {
        Value::Kind kind = Value::Kind::none;
        bool is_set = false;
        std::uint32_t index = 0;  ///< of a string, list or dict; else into wide_
    };

    Remembered remember(Value value) {
        const bool is_index =
            value.kind == Value::Kind::string || value.kind == Value::Kind::list || value.kind == Value::Kind::dict;
        if (is_index) return {value.kind, true, value.index()};
        wide_.push_back(value.bits);
        return {value.kind, true, static_cast<std::uint32_t>(wide_.size() - 1)};
    }

    Value get(std::uint64_t index) {
        if (index >= memo_.size() || !memo_[index].is_set)
            fail("recalls value " + std::to_string(index) + ", which was never remembered", offset());
        const Remembered& found = memo_[index];
        const bool is_index =
            found.kind == Value::Kind::string || found.kind == Value::Kind::list || found.kind == Value::Kind::dict;
        return {found.kind, is_index ? found.index : wide_[found.index]};
    }

    /// Most of a snapshot's bytes are stacks: `] (memoize) ( get get get ... e`, each get a frame. Reads such a list in one
    /// go after its `]`. Leaves everything as it was and returns false if it is anything else.
    bool try_stack(Value list) {
        const std::uint8_t* at = at_;
        bool memoize = false;
        std::uint64_t memo_index = memo_used_;
        if (at < end_ && *at == k_memoize) {
            memoize = true;
            ++at;
        } else if (end_ - at >= 2 && *at == k_binput) {
            memoize = true;
            memo_index = at[1];
            at += 2;
        } else if (end_ - at >= 5 && *at == k_long_binput) {
            memoize = true;
            memo_index = load_u32(at + 1);
            at += 5;
        }
        if (at >= end_ || *at++ != k_mark) return false;
        frames_.clear();
        while (end_ - at >= 5) {
            std::uint64_t index = 0;
            if (*at == k_long_binget) {
                index = load_u32(at + 1);
                at += 5;
            } else if (*at == k_binget) {
                index = at[1];
                at += 2;
            } else {
                break;
            }
            if (index >= memo_.size() || !memo_[index].is_set) return false;
            const FrameId frame = builder_.as_frame({memo_[index].kind, memo_[index].index});
            if (!frame.is_some()) return false;
            frames_.push_back(frame);
        }
        if (at >= end_ || *at != k_appends || frames_.empty()) return false;
        if (memoize) put(memo_index);
        builder_.fill_with_frames(list, frames_);
        at_ = at + 1;
        return true;
    }

    static std::uint32_t load_u32(const std::uint8_t* from) {
        return from[0] | static_cast<std::uint32_t>(from[1]) << 8 | static_cast<std::uint32_t>(from[2]) << 16 |
               static_cast<std::uint32_t>(from[3]) << 24;
    }

    // ------------------------------------------------------------------------------------------------ instructions

    /// Executes one instruction; false at the end mark.
    bool step() {
        opcode_ = at_;
        need(1);
        switch (*at_++) {
            case k_binget: push(get(take<std::uint8_t>())); break;
            case k_long_binget: push(get(take<std::uint32_t>())); break;
            case k_memoize: put(memo_used_); break;
            case k_binput: put(take<std::uint8_t>()); break;
            case k_long_binput: put(take<std::uint32_t>()); break;
            case k_binint1: push(Value::integer(take<std::uint8_t>())); break;
            case k_binint2: push(Value::integer(take<std::uint16_t>())); break;
            case k_binint:
                push(Value::integer(static_cast<std::uint64_t>(static_cast<std::int64_t>(take<std::int32_t>()))));
                break;
            case k_long1: push(Value::integer(take_long(take<std::uint8_t>()))); break;
            case k_long4: push(Value::integer(take_long(take<std::uint32_t>()))); break;
            case k_binfloat: push({Value::Kind::real, swap_bytes(take<std::uint64_t>())}); break;
            case k_newtrue: push({Value::Kind::boolean, 1}); break;
            case k_newfalse: push({Value::Kind::boolean, 0}); break;
            case k_none: push({}); break;
            case k_short_binunicode: push_text(take<std::uint8_t>()); break;
            case k_binunicode: push_text(take<std::uint32_t>()); break;
            case k_binunicode8: push_text(take<std::uint64_t>()); break;
            case k_mark: marks_.push_back(stack_.size()); break;
            case k_empty_dict: push(builder_.new_dict()); break;
            case k_setitems: set_items_above(pop_mark()); break;
            case k_setitem:
                if (stack_.size() < 3) fail("sets an item without key and value", offset());
                set_items_above(stack_.size() - 2);
                break;
            case k_empty_list:
                push(builder_.new_list());
                try_stack(stack_.back());
                break;
            case k_appends: append_above(pop_mark()); break;
            case k_append:
                if (stack_.size() < 2) fail("appends where there is no list", offset());
                append_above(stack_.size() - 1);
                break;
            case k_empty_tuple: push(builder_.new_list()); break;
            case k_tuple1: make_short_tuple(1); break;
            case k_tuple2: make_short_tuple(2); break;
            case k_tuple3: make_short_tuple(3); break;
            case k_tuple:
            case k_list: make_tuple(pop_mark()); break;
            case k_dict: make_dict(pop_mark()); break;
            case k_pop: pop(); break;
            case k_pop_mark: stack_.resize(pop_mark()); break;
            case k_dup: push(top()); break;
            case k_proto: check_protocol(take<std::uint8_t>()); break;
            case k_frame: take<std::uint64_t>(); break;
            case k_stop: return false;
            default: refuse();
        }
        return true;
    }

    void make_dict(std::size_t mark) {
        if ((stack_.size() - mark) % 2 != 0) fail("makes a dict of a key without a value", offset());
        const Value dict = builder_.new_dict();
        builder_.set_items(dict, std::span<const Value>(stack_).subspan(mark));
        stack_.resize(mark);
        push(dict);
    }

    void check_protocol(std::uint8_t protocol) const {
        if (protocol > 5)
            fail("is a pickle of protocol " + std::to_string(protocol) + "; protocols 2 to 5 are known", offset());
    }

    [[noreturn]] void refuse() const {
        const auto named = std::ranges::find(k_refused, *opcode_, &NamedOpcode::code);
        if (named != std::end(k_refused)) {
            fail(std::string("is a pickle with the instruction ") + named->name +
                     ", which no memory snapshot needs; refused, nothing was executed",
                 offset());
        }
        fail("is damaged: byte " + std::to_string(*opcode_) + " is not a pickle instruction known here", offset());
    }

    MappedFile& file_;
    Progress& progress_;
    std::span<const std::byte> bytes_;
    const std::uint8_t* begin_ = nullptr;
    const std::uint8_t* at_ = nullptr;
    const std::uint8_t* end_ = nullptr;
    const std::uint8_t* opcode_ = nullptr;  ///< start of the current instruction
    const std::uint8_t* next_check_ = nullptr;

    ObjectBuilder builder_;
    std::vector<Value> stack_;
    std::vector<std::size_t> marks_;
    std::vector<Remembered> memo_;
    std::uint64_t memo_used_ = 0;
    std::vector<std::uint64_t> wide_;
    std::vector<FrameId> frames_;
};

}  // namespace

bool looks_like_pickle(std::span<const std::byte> bytes) {
    return bytes.size() >= 2 && bytes[0] == std::byte{k_proto} && std::to_integer<int>(bytes[1]) >= 2;
}

Result<std::unique_ptr<Snapshot>> read_pickle(MappedFile& file, Progress& progress) {
    PickleMachine machine(file, progress);
    try {
        return machine.run();
    } catch (ReadFailure& failure) {
        if (failure.error.code == ErrorCode::bad_file && !failure.error.offset) failure.error.offset = machine.offset();
        return std::move(failure.error);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::bad_file, "needs more memory than there is", machine.offset(), {}};
    }
}

}  // namespace snapviewer
