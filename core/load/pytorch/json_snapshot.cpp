#include "core/load/pytorch/json_snapshot.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/limits.h"
#include "core/load/bytes/sources.h"
#include "core/load/pytorch/json_scanner.h"
#include "core/load/pytorch/memo.h"
#include "core/load/pytorch/object_finish.h"

namespace snapviewer {
namespace {

/// JSON handler that keeps open objects and arrays on a stack, and passes each to the builder when it closes.
class ObjectHandler {
public:
    explicit ObjectHandler(ObjectBuilder& builder) : builder_(builder) {}

    void null() { push({}); }
    void boolean(bool value) { push({Value::Kind::boolean, value ? 1U : 0U}); }
    void whole(std::uint64_t value) { push(Value::integer(value)); }
    void negative(std::int64_t value) { push(Value::integer(static_cast<std::uint64_t>(value))); }
    void real(double value) { push({Value::Kind::real, std::bit_cast<std::uint64_t>(value)}); }
    void string(std::string_view text) { push(Value::string(builder_.snapshot().strings.intern(text))); }
    void key(std::string_view text) { string(text); }

    void begin_object() { open({}); }
    void end_object() {
        log_duplicates();
        const Value dict = builder_.new_dict();
        builder_.set_items(dict, above_mark());
        close();
        const bool is_first_waiting = !open_.empty() && open_.back().first_value == values_.size();
        if (is_first_waiting && builder_.append_event(open_.back().list, dict)) {
            builder_.truncate(open_.back().sizes);
        } else {
            push(dict);
        }
    }
    void begin_array() {
        const Value list = builder_.new_list();
        open(list);
    }
    void end_array() {
        newest_stack_.reset();
        const Value list = open_.back().list;
        if (fill_as_stack(list)) {
            builder_.truncate(open_.back().sizes);
        } else {
            builder_.append(list, above_mark());
        }
        close();
        push(list);
    }

    /// If `text` begins with the text of a stack that was read before, adds that stack and returns the size of its text;
    /// else returns 0. Only stacks are recognised, because other arrays do not recur.
    std::size_t recall_array(std::string_view text) {
        if (!is_stack_next()) return 0;
        unexpected_keys_before_ = builder_.unexpected_keys().count;
        const RepeatedStacks::Known* known = stacks_.find_next(bytes_of(text), k_end);
        if (known == nullptr) return 0;
        const Value list = builder_.new_list();
        builder_.fill_with_stack(list, known->stack);
        push(list);
        return known->size + std::size_t{1};
    }
    void remember_array(std::string_view text) {
        const std::optional<StackId> stack = std::exchange(newest_stack_, std::nullopt);
        // Do not cache a stack with odd keys, so that they are counted each time.
        if (!stack || builder_.unexpected_keys().count != unexpected_keys_before_) return;
        const RepeatedStacks::Bytes bytes = bytes_of(text.substr(0, text.size() - 1));
        if (stacks_.find(bytes) == nullptr) stacks_.add(bytes, *stack);
    }

    /// Closes all open values. Drops open objects except the outermost, because they are incomplete.
    void break_off() {
        while (!open_.empty()) {
            const bool is_array = open_.back().list.kind == Value::Kind::list;
            if (is_array) {
                end_array();
            } else if (open_.size() == 1) {
                values_.resize(values_.size() - above_mark().size() % 2);
                end_object();
            } else {
                close();
            }
        }
    }

    /// True if the outermost value is complete.
    bool is_whole() const { return open_.empty() && !values_.empty(); }
    Value root() const { return values_.empty() ? Value{} : values_.front(); }

private:
    /// An array or object whose end was not read yet.
    struct Open {
        Value list;  ///< The list of an array; a Value of kind none for an object
        std::size_t first_value;
        ObjectBuilder::Sizes sizes;  ///< State of the builder before the content of the array or object
    };

    static constexpr std::uint8_t k_end = ']';  ///< Byte that follows the encoding of a stack

    static RepeatedStacks::Bytes bytes_of(std::string_view text) {
        return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
    }

    bool is_stack_next() const {
        return !open_.empty() && open_.back().list.kind == Value::Kind::none && !values_.empty() &&
               values_.back().kind == Value::Kind::string && values_.back().bits == key_id("frames");
    }

    void push(Value value) {
        if (values_.size() >= limits::k_json_values) fail("holds more values in one place than any real snapshot");
        values_.push_back(value);
    }

    void log_duplicates() {
        const std::span<const Value> pairs = above_mark();
        std::uint64_t seen = 0;  // bit set of the known keys, whose numbers are below 64
        others_.clear();
        for (std::size_t i = 0; i < pairs.size(); i += 2) {
            const std::uint64_t key = pairs[i].bits;
            if (key >= k_known_keys.size()) {
                others_.push_back(key);
                continue;
            }
            if ((seen >> key & 1) != 0) builder_.count_duplicate_key(pairs[i]);
            seen |= std::uint64_t{1} << key;
        }
        std::ranges::sort(others_);
        const auto twice = std::ranges::adjacent_find(others_);
        if (twice != others_.end()) builder_.count_duplicate_key({Value::Kind::string, *twice});
    }

    void open(Value list) { open_.push_back({list, values_.size(), builder_.sizes()}); }
    void close() {
        values_.resize(open_.back().first_value);
        open_.pop_back();
    }
    std::span<const Value> above_mark() const { return std::span<const Value>(values_).subspan(open_.back().first_value); }

    bool fill_as_stack(Value list) {
        frames_.clear();
        for (const Value item : above_mark()) {
            const FrameId frame = builder_.as_frame(item);
            if (!frame.is_some()) return false;
            frames_.push_back(frame);
        }
        if (frames_.empty()) return false;
        newest_stack_ = builder_.snapshot().stacks.intern_stack(frames_);
        builder_.fill_with_stack(list, *newest_stack_);
        return true;
    }

    ObjectBuilder& builder_;
    std::vector<Value> values_;  ///< Values of all open arrays and objects
    std::vector<Open> open_;
    std::vector<FrameId> frames_;
    std::vector<std::uint64_t> others_;
    RepeatedStacks stacks_;
    std::optional<StackId> newest_stack_;       ///< Stack of the array that just ended, if it was a stack
    std::uint64_t unexpected_keys_before_ = 0;  ///< Value of builder_.unexpected_keys().count before the newest stack
    static_assert(k_known_keys.size() <= 64);
};

}  // namespace

Value read_json_objects(ByteSource& text, ObjectBuilder& builder, JsonEnd* end) {
    ObjectHandler handler(builder);
    JsonScanner scanner(text, handler);
    builder.damage().set_position([&scanner] { return scanner.offset(); });
    try {
        scanner.run();
    } catch (const Failure& failure) {
        if (!failure.is_cut || end == nullptr) throw;
        const bool is_source = handler.is_whole() && !failure.is_damage;
        if (is_source) {
            end->behind = failure;
        } else {
            end->damage = failure;
            end->behind = read_to_end(text);
        }
        handler.break_off();
    }
    builder.damage().set_position({});
    if (scanner.non_numbers() > 0) builder.snapshot().log.add("not_a_number", {.count = scanner.non_numbers()});
    return handler.root();
}

namespace {

/// Byte source that forwards the pieces of a text, and publishes the snapshot read so far before each piece.
class ShownText : public ByteSource {
public:
    ShownText(ByteSource& text, ObjectBuilder& builder) : text_(text), builder_(builder) {}

    std::string_view next_piece() override {
        builder_.publish();
        return text_.next_piece();
    }

private:
    ByteSource& text_;
    ObjectBuilder& builder_;
};

}  // namespace

bool looks_like_json(std::string_view front) {
    if (front.starts_with("\xEF\xBB\xBF")) front.remove_prefix(3);
    const std::size_t first = front.find_first_not_of(" \t\r\n");
    return first != front.npos && (front[first] == '{' || front[first] == '[');
}

std::unique_ptr<Snapshot> read_json_snapshot(ByteSource& text) {
    ObjectBuilder builder(budget_of_thread());
    ShownText shown(text, builder);
    JsonEnd end;
    const Value root = read_json_objects(shown, builder, &end);
    return finish_objects(builder, root, end.damage, end.behind);
}

}  // namespace snapviewer
