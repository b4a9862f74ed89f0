#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/load/pytorch/memo.h"
#include "core/load/pytorch/object_builder.h"
#include "core/load/pytorch/pickle.h"

namespace snapviewer::pytorch {
namespace {

using namespace pickle;

/// Distance from the end of the window at which more bytes are read, so that the end hardly ever splits a stack.
constexpr std::ptrdiff_t k_margin_bytes = std::ptrdiff_t{16} * 1024;
constexpr std::size_t k_initial_capacity = 1024;
constexpr std::size_t k_buffered_items = 32;  // maximum number of keys and values that read_items() reads
// Marks a value that no memo entry gave; larger than the number of any entry.
constexpr std::uint64_t k_not_recalled = ~std::uint64_t{0};
constexpr std::size_t k_max_imported_name = 100;
constexpr std::uint8_t k_stack_global = 0x93;
constexpr std::ptrdiff_t k_instruction_bytes = 16;  // longest instruction that read_items() handles, except texts

class PickleMachine : private ByteWindow {
public:
    /// `source` begins at the byte `begin` of the file or container.
    PickleMachine(bytes::ByteSource& source, std::uint64_t begin) : ByteWindow(source, begin), builder_(budget_of_thread()) {
        recalled_.fill(k_not_recalled);
    }

    /// `part` is the number of the pickle in the file, from 1.
    std::unique_ptr<Snapshot> run(std::uint64_t expected_bytes, std::uint32_t part) {
        builder_.reserve(expected_bytes);
        builder_.damage().set_position([this] { return offset(); });
        expected_bytes_ = expected_bytes;
        std::optional<Failure> damage;
        try {
            is_torch_save_ = skip_torch_save_header();
            run_to_stop();
            if (stack_.empty()) bytes::fail_damaged("ends without a value", offset());
            if (!marks_.empty() || stack_.front() != stack_.back())
                bytes::fail_damaged("ends in the middle of its data", offset());
        } catch (const Failure& failure) {
            if (!failure.is_cut) throw;
            damage = failure;
            if (!failure.error.offset) damage->error.offset = offset();
        }
        const Value root = damage ? close_open_values(builder_, stack_, marks_) : stack_.back();
        const AfterPickle behind = read_after_pickle(take_rest(), !damage && !is_torch_save_);
        std::unique_ptr<Snapshot> snapshot = finish_objects(builder_, root, damage, behind.damage);
        log_other_parts(*snapshot, part, part + behind.pickles);
        return snapshot;
    }

    std::uint64_t offset() const { return offset_of(start_); }

private:
    void run_to_stop() {
        while (step()) {
            if (at_ >= next_check_) check();
        }
    }

    /// Skips the three pickles before the object in torch.save's old format: a fixed number, a version and facts about the
    /// system. More pickles follow the object. Returns false, without skipping, for any other file.
    bool skip_torch_save_header() {
        while (end_ - at_ < static_cast<std::ptrdiff_t>(k_torch_save_front) && extend()) {
        }
        const std::size_t behind =
            torch_save_number_end({reinterpret_cast<const char*>(at_), static_cast<std::size_t>(end_ - at_)});
        if (behind == 0) return false;
        at_ += behind;
        for (int skipped = 0; skipped < 2; ++skipped) {
            run_to_stop();
            begin_next_pickle();
        }
        return true;
    }

    void begin_next_pickle() {
        stack_.clear();
        marks_.clear();
        memo_ = {};
        stacks_.clear();
        recalled_.fill(k_not_recalled);
    }

    void check() {
        check_stop();
        builder_.publish();
        builder_.check_memory(offset_of(at_), expected_bytes_);
        builder_.prefault();
        if (stack_.size() > limits::k_base_stack_values + offset_of(at_) / limits::k_bytes_per_stack_value)
            bytes::fail("has more nested values open than any real snapshot", offset());
        start_ = at_;
        extend();
        next_check_ = end_ - std::min(k_margin_bytes, end_ - at_);
    }

    // -------------------------------------------------------------------------------------------- arguments of instructions

    std::uint64_t take_long(std::uint64_t length) {
        need(length);
        // WebAssembly has a size_t of 32 bits; `length` fits, because so many bytes remain.
        const std::string_view digits(reinterpret_cast<const char*>(at_), static_cast<std::size_t>(length));
        const std::optional<std::uint64_t> value = parse_long(digits);
        if (!value) bytes::fail_damaged("holds an integer of more than 64 bits", offset());
        at_ += length;
        return *value;
    }

    /// Returns the text up to the end of the line. Skips the text and the line end.
    std::string_view take_line() {
        std::size_t searched = 0;
        while (true) {
            const auto length = static_cast<std::size_t>(end_ - at_);
            const void* end = std::memchr(at_ + searched, '\n', length - searched);
            if (end != nullptr) {
                const auto* from = reinterpret_cast<const char*>(at_);
                at_ = static_cast<const std::uint8_t*>(end) + 1;
                return {from, static_cast<std::size_t>(static_cast<const char*>(end) - from)};
            }
            searched = length;
            need(length + 1);
        }
    }

    Value take_text_integer() {
        const std::string_view line = take_line();
        if (line == "00" || line == "01") return {Value::Kind::boolean, line == "01" ? 1U : 0U};
        return Value::integer(integer_of_line(line));
    }

    std::uint64_t integer_of_line(std::string_view line) const {
        if (line.ends_with('L')) line.remove_suffix(1);
        const std::optional<std::uint64_t> value = parse_integer(line);
        if (!value) bytes::fail_damaged("holds an integer that is malformed or larger than 64 bits", offset());
        return *value;
    }

    Value take_text_real() {
        const std::optional<double> value = parse_real(take_line());
        if (!value) bytes::fail_damaged("holds a malformed real number", offset());
        return {Value::Kind::real, std::bit_cast<std::uint64_t>(*value)};
    }

    Value take_text_string() {
        const std::optional<std::string> text = parse_raw_unicode(take_line());
        if (!text) bytes::fail_damaged("holds a string with a malformed \\u escape", offset());
        return Value::string(builder_.snapshot().strings.intern(*text));
    }

    void push_text(std::uint64_t length) {
        need(length);
        if (length > limits::k_word_bytes) bytes::fail_damaged("holds a string longer than in any real snapshot", offset());
        push(Value::string(
            builder_.snapshot().strings.intern({reinterpret_cast<const char*>(at_), static_cast<std::size_t>(length)})));
        at_ += length;
    }

    // ------------------------------------------------------------------------------------------ stack of the pickle machine

    void push(Value value) {
        if (stack_.size() == stack_.capacity()) make_room();
        stack_.push_back(value);
    }

    void make_room() {
        if (stack_.size() >= limits::k_stack_values)
            bytes::fail("has more nested values open than any real snapshot", offset());
        stack_.reserve(std::min(std::max<std::size_t>(2 * stack_.size(), k_initial_capacity), limits::k_stack_values));
    }

    Value pop() {
        const std::size_t floor = marks_.empty() ? 0 : marks_.back();
        if (stack_.size() <= floor) bytes::fail_damaged("takes a value off an empty stack", offset());
        const Value value = stack_.back();
        stack_.pop_back();
        return value;
    }

    /// Dropped values cost time but no memory, so that no memory limit would stop them.
    void count_dropped() {
        if (++dropped_ > limits::k_max_dropped_values) bytes::fail("drops more values than any real snapshot", offset());
    }

    Value& top() {
        if (stack_.empty()) bytes::fail_damaged("uses the top of an empty stack", offset());
        return stack_.back();
    }

    void open_mark() {
        if (marks_.size() >= limits::k_open_marks) bytes::fail("nests more groups than any real snapshot", offset());
        marks_.push_back(stack_.size());
    }

    /// Calls `close`, which takes the values above the newest mark off the stack. Removes the mark afterwards, because
    /// close_open_values() needs it if the values are damaged.
    template <typename Close>
    void close_group(Close close) {
        if (marks_.empty()) bytes::fail_damaged("closes a group that was not opened", offset());
        close(marks_.back());
        marks_.pop_back();
    }

    void set_items_above(std::size_t mark) {
        if (mark == 0 || (stack_.size() - mark) % 2 != 0)
            bytes::fail_damaged("sets dict items without a dict, or a key without a value", offset());
        builder_.set_items(stack_[mark - 1], std::span<const Value>(stack_).subspan(mark));
        stack_.resize(mark);
    }

    void append_above(std::size_t mark) {
        if (mark == 0) bytes::fail_damaged("appends to a list that does not exist", offset());
        builder_.append(stack_[mark - 1], std::span<const Value>(stack_).subspan(mark));
        stack_.resize(mark);
    }

    void make_tuple(std::size_t first) {
        const Value tuple = builder_.new_list();
        builder_.append(tuple, std::span<const Value>(stack_).subspan(first));
        stack_.resize(first);
        push(tuple);
    }

    /// Throws if fewer than `count` values lie above the newest mark. An instruction must not take values below that mark.
    void need_values(std::size_t count, const char* otherwise) const {
        const std::size_t floor = marks_.empty() ? 0 : marks_.back();
        if (stack_.size() < floor + count) bytes::fail_damaged(otherwise, offset());
    }

    void make_short_tuple(std::size_t count) {
        need_values(count, "makes a tuple of values that do not exist");
        make_tuple(stack_.size() - count);
    }

    // ------------------------------------------------------------------------------------------- memo of the pickle machine
    void put(std::uint64_t number) { put(number, top()); }

    void put(std::uint64_t number, Value value) {
        if (number > offset_of(at_))
            bytes::fail_damaged("stores a memo entry with a number larger than the file size", offset());
        if (!memo_.set(number, value)) return;
        stacks_.clear();
        recalled_.fill(k_not_recalled);
    }

    Value get(std::uint64_t number) const {
        const std::optional<Value> found = memo_.find(number);
        if (!found) refuse_number(number);
        return *found;
    }

    [[noreturn]] void refuse_number(std::uint64_t number) const {
        bytes::fail_damaged("refers to memo entry " + std::to_string(number) + ", which was never stored", offset());
    }

    /// If a complete instruction at `at` stores the top of the stack in the memo, returns the memo number and moves `at`
    /// behind it.
    std::optional<std::uint64_t> take_memo_number(const std::uint8_t*& at) const {
        if (at < end_ && *at == k_memoize) {
            ++at;
            return memo_.next();
        }
        if (end_ - at >= 2 && *at == k_binput) {
            at += 2;
            return at[-1];
        }
        if (end_ - at >= 5 && *at == k_long_binput) {
            at += 5;
            return load<std::uint32_t>(at - 4);
        }
        return std::nullopt;
    }

    /// Most bytes of a snapshot are stacks: `] (memoize) ( get get get ... e`, where each get recalls a frame. Reads such a
    /// list in one go after its `]`. Returns false and changes nothing for any other list.
    bool try_stack(Value list) {
        const std::uint8_t* at = at_;
        const std::optional<std::uint64_t> number = take_memo_number(at);
        if (at >= end_ || *at++ != k_mark) return false;
        if (std::exchange(frame_changes_, builder_.frame_changes()) != builder_.frame_changes()) stacks_.clear();
        const RepeatedStacks::Known* known = stacks_.find_next({at, end_}, k_appends);
        const std::uint8_t* const end = known != nullptr ? at + known->size : end_of_gets(at);
        if (end >= end_ || *end != k_appends || end == at) return false;
        const StackId stack = known != nullptr ? known->stack : stack_of_gets({at, end});
        if (!stack.is_some()) return false;
        if (number) put(*number, list);
        builder_.fill_with_stack(list, stack);
        at_ = end + 1;
        return true;
    }

    /// Returns the stack of the frames that the instructions `gets` recall; none() if a recalled value is not a frame.
    StackId stack_of_gets(RepeatedStacks::Bytes gets) {
        if (const RepeatedStacks::Known* known = stacks_.find(gets); known != nullptr) return known->stack;
        if (!find_frames(gets)) return StackId::none();
        const StackId stack = builder_.snapshot().stacks.intern_stack(frames_);
        stacks_.add(gets, stack);
        return stack;
    }

    /// Returns the end of the run of complete instructions BINGET and LONG_BINGET that starts at `at`.
    const std::uint8_t* end_of_gets(const std::uint8_t* at) const {
        while (true) {
            if (end_ - at >= 5 && *at == k_long_binget)
                at += 5;
            else if (end_ - at >= 2 && *at == k_binget)
                at += 2;
            else
                return at;
        }
    }

    /// Puts the frames that the instructions `gets` recall into frames_. Returns false if a recalled value is not a frame.
    bool find_frames(RepeatedStacks::Bytes gets) {
        frames_.clear();
        for (const std::uint8_t* at = gets.data(); at < gets.data() + gets.size();) {
            const bool is_long = *at == k_long_binget;
            const std::optional<Value> found = memo_.find(is_long ? load<std::uint32_t>(at + 1) : at[1]);
            at += is_long ? 5 : 2;
            const FrameId frame = found ? builder_.as_frame(*found) : FrameId::none();
            if (!frame.is_some()) return false;
            frames_.push_back(frame);
        }
        return true;
    }

    /// Most other bytes are dicts whose items come all at once: `} (memoize) ( key value key value ... u`. Their keys and
    /// many values are recalled, the others are numbers, short texts and lists of frames. Reads such a dict after its `}` up
    /// to the first other instruction; step() continues there. The position is a local variable, so that it stays in a
    /// register: step() spends most of its time on loading and storing it for each instruction.
    void read_items(Value dict) {
        if (end_ - at_ < k_instruction_bytes) return;
        const std::uint8_t* at = at_;
        if (const std::optional<std::uint64_t> number = take_memo_number(at)) put(*number);
        at_ = at;
        if (*at_ != k_mark) return;
        ++at_;
        const std::size_t count = read_item_values();
        if (at_ < end_ && *at_ == k_setitems && count % 2 == 0) {
            start_ = at_++;
            builder_.set_items(dict, std::span(items_).first(count));
            return;
        }
        open_mark();
        for (const Value item : std::span(items_).first(count)) push(item);
    }

    /// Reads values into items_ until the first other instruction, and returns their number. Dicts of one kind have the same
    /// keys in the same places, so the keys of the previous dict are tried first.
    std::size_t read_item_values() {
        const std::uint8_t* at = at_;
        std::size_t count = 0;
        const auto keep = [&](Value value) {
            recalled_[count] = k_not_recalled;
            items_[count++] = value;
        };
        while (end_ - at >= k_instruction_bytes && count < items_.size()) {
            switch (*at) {
                case k_binget:
                case k_long_binget: {
                    const bool is_long = *at == k_long_binget;
                    const std::uint32_t number = is_long ? load<std::uint32_t>(at + 1) : at[1];
                    if (recalled_[count] != number) {
                        const std::optional<Value> found = memo_.find(number);
                        if (!found) break;
                        keep(*found);
                        recalled_[count - 1] = number;
                    } else {
                        ++count;
                    }
                    at += is_long ? 5 : 2;
                    continue;
                }
                case k_binint1:
                    keep(Value::integer(at[1]));
                    at += 2;
                    continue;
                case k_binint2:
                    keep(Value::integer(load<std::uint16_t>(at + 1)));
                    at += 3;
                    continue;
                case k_binint:
                    keep(Value::integer(static_cast<std::uint64_t>(std::int64_t{load<std::int32_t>(at + 1)})));
                    at += 5;
                    continue;
                case k_long1: {
                    const unsigned length = at[1];
                    if (length == 0 || length > sizeof(std::int64_t)) break;
                    const unsigned unused_bits = 64 - 8 * length;
                    const std::uint64_t raw = load<std::uint64_t>(at + 2) << unused_bits;
                    keep(Value::integer(static_cast<std::uint64_t>(static_cast<std::int64_t>(raw) >> unused_bits)));
                    at += 2 + length;
                    continue;
                }
                case k_none:
                    keep({});
                    ++at;
                    continue;
                case k_short_binunicode: {
                    const std::string_view text(reinterpret_cast<const char*>(at + 2), at[1]);
                    if (end_ - at < k_instruction_bytes + static_cast<std::ptrdiff_t>(text.size())) break;
                    at += 2 + text.size();
                    keep(Value::string(builder_.snapshot().strings.intern(text)));
                    if (*at == k_memoize) {
                        put(memo_.next(), items_[count - 1]);
                        ++at;
                    }
                    continue;
                }
                case k_empty_list: {
                    start_ = at;
                    at_ = at + 1;
                    keep(builder_.new_list());
                    const bool is_whole = try_stack(items_[count - 1]);
                    at = at_;
                    if (!is_whole) break;
                    continue;
                }
                default: break;
            }
            break;
        }
        at_ = at;
        return count;
    }

    // ----------------------------------------------------------------------------------------------- executing instructions

    /// Executes one instruction. Returns false at the end mark.
    bool step() {
        start_ = at_;
        need(1);
        switch (*at_++) {
            case k_binget: push(get(take<std::uint8_t>())); break;
            case k_long_binget: push(get(take<std::uint32_t>())); break;
            case k_memoize: put(memo_.next()); break;
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
            case k_mark: open_mark(); break;
            case k_empty_dict:
                push(builder_.new_dict());
                read_items(stack_.back());
                break;
            case k_setitems: close_group([this](std::size_t mark) { set_items_above(mark); }); break;
            case k_setitem:
                need_values(3, "sets a dict item without a key and a value");
                builder_.set_item(stack_[stack_.size() - 3], stack_[stack_.size() - 2], stack_.back());
                stack_.resize(stack_.size() - 2);
                break;
            case k_empty_list:
                push(builder_.new_list());
                try_stack(stack_.back());
                break;
            case k_appends: close_group([this](std::size_t mark) { append_above(mark); }); break;
            case k_append:
                need_values(2, "appends to a list that does not exist");
                append_above(stack_.size() - 1);
                break;
            case k_empty_tuple: push(builder_.new_list()); break;
            case k_tuple1: make_short_tuple(1); break;
            case k_tuple2: make_short_tuple(2); break;
            case k_tuple3: make_short_tuple(3); break;
            case k_tuple:
            case k_list: close_group([this](std::size_t mark) { make_tuple(mark); }); break;
            case k_dict: close_group([this](std::size_t mark) { make_dict(mark); }); break;
            case k_pop:
                pop();
                count_dropped();
                break;
            case k_pop_mark:
                close_group([this](std::size_t mark) { stack_.resize(mark); });
                count_dropped();
                break;
            case k_dup: push(top()); break;
            case k_proto: check_protocol(take<std::uint8_t>()); break;
            case k_frame: take<std::uint64_t>(); break;
            case k_int:
            case k_long: push(take_text_integer()); break;
            case k_float: push(take_text_real()); break;
            case k_unicode: push(take_text_string()); break;
            case k_get: push(get(integer_of_line(take_line()))); break;
            case k_put: put(integer_of_line(take_line())); break;
            case k_stop: return false;
            default: refuse();
        }
        return true;
    }

    void make_dict(std::size_t mark) {
        if ((stack_.size() - mark) % 2 != 0) bytes::fail_damaged("makes a dict with a key that has no value", offset());
        const Value dict = builder_.new_dict();
        builder_.set_items(dict, std::span<const Value>(stack_).subspan(mark));
        stack_.resize(mark);
        push(dict);
    }

    void check_protocol(std::uint8_t protocol) const {
        if (protocol > 5)
            bytes::fail_damaged("is a pickle of protocol " + std::to_string(protocol) + "; expected protocol 0 to 5",
                                offset());
    }

    /// Returns the name that the current instruction would import, such as `collections.OrderedDict`. Returns "" if the
    /// window does not contain it. The name describes best what a foreign pickle is.
    std::string named_object() const {
        const std::string_view rest(reinterpret_cast<const char*>(at_), static_cast<std::size_t>(end_ - at_));
        if (*start_ == 'c' || *start_ == 'i') return dotted_lines(rest);
        const auto is_text = [](Value value) { return value.kind == Value::Kind::string; };
        const std::span<const Value> both = std::span(stack_).last(std::min<std::size_t>(stack_.size(), 2));
        if (*start_ != k_stack_global || both.size() < 2 || !std::ranges::all_of(both, is_text)) return {};
        const StringPool& strings = builder_.snapshot().strings;
        return std::string(strings.view(StringId{both[0].index()})) + '.' +
               std::string(strings.view(StringId{both[1].index()}));
    }

    [[noreturn]] void refuse() const {
        const auto named = std::ranges::find(k_refused_opcodes, *start_, &NamedOpcode::code);
        if (named != std::end(k_refused_opcodes)) {
            const std::string what = named_object();
            const std::string message = std::string("is a pickle that contains the instruction ") + named->name +
                                        (what.empty() ? "" : ", for " + json_quoted(shortened(what, k_max_imported_name))) +
                                        ", which no memory snapshot needs; it is refused, and nothing was executed";
            // an import without a valid name is damage, not intent
            if (is_dotted_name(what)) bytes::fail(message, offset());
            bytes::fail_damaged(message, offset());
        }
        bytes::fail_cut("is damaged: byte " + std::to_string(*start_) + " is not a known pickle instruction", offset());
    }

    const std::uint8_t* next_check_ = nullptr;
    std::uint64_t expected_bytes_ = 0;
    bool is_torch_save_ = false;
    ObjectBuilder builder_;
    std::vector<Value> stack_;
    std::uint64_t dropped_ = 0;
    std::vector<std::size_t> marks_;
    PickleMemo memo_;
    RepeatedStacks stacks_;
    std::uint64_t frame_changes_ = 0;  ///< Value of builder_.frame_changes() at the last use of stacks_
    std::vector<FrameId> frames_;
    std::array<Value, k_buffered_items> items_;             ///< Keys and values of the last call of read_items()
    std::array<std::uint64_t, k_buffered_items> recalled_;  ///< Memo number of each of items_, or k_not_recalled
};

}  // namespace

std::unique_ptr<Snapshot> read_pickle(bytes::ByteSource& source, std::uint64_t expected_bytes, std::uint32_t part) {
    PickleParts parts(source);
    for (std::uint32_t number = 1; number < part; ++number) {
        if (parts.skip_one() && parts.is_at_pickle()) continue;
        bytes::fail(fmt::format("has no part {}, because no pickle follows part {}", part, number));
    }
    RestOfWindow rest = parts.rest();
    PickleMachine machine(rest, rest.begin());
    try {
        return machine.run(expected_bytes, part);
    } catch (Failure& failure) {
        if (failure.error.code == ErrorCode::bad_file && !failure.error.offset) failure.error.offset = machine.offset();
        throw;
    }
}

}  // namespace snapviewer::pytorch
