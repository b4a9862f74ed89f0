#include "core/load/json_objects.h"

#include <bit>

#include "core/load/json_scanner.h"

namespace snapviewer {
namespace {

/// Objects and arrays on a stack, handed to the builder as each closes.
class ObjectHandler {
public:
    explicit ObjectHandler(ObjectBuilder& builder) : builder_(builder) {}

    void null() { values_.push_back({}); }
    void boolean(bool value) { values_.push_back({Value::Kind::boolean, value ? 1U : 0U}); }
    void whole(std::uint64_t value) { values_.push_back(Value::integer(value)); }
    void negative(std::int64_t value) { values_.push_back(Value::integer(static_cast<std::uint64_t>(value))); }
    void real(double value) { values_.push_back({Value::Kind::real, std::bit_cast<std::uint64_t>(value)}); }
    void string(std::string_view text) { values_.push_back(Value::string(builder_.snapshot().strings.intern(text))); }
    void key(std::string_view text) { string(text); }

    void begin_object() { open({}); }
    void end_object() {
        const Value dict = builder_.new_dict();
        builder_.set_items(dict, above_mark());
        close();
        const bool is_first_waiting = !open_.empty() && open_.back().first_value == values_.size();
        if (is_first_waiting && builder_.append_event(open_.back().list, dict)) {
            builder_.forget_newer(open_.back().numbers);
        } else {
            values_.push_back(dict);
        }
    }
    void begin_array() {
        const Value list = builder_.new_list();
        open(list);
    }
    void end_array() {
        const Value list = open_.back().list;
        if (fill_as_stack(list)) {
            builder_.forget_newer(open_.back().numbers);
        } else {
            builder_.append(list, above_mark());
        }
        close();
        values_.push_back(list);
    }

    Value root() const { return values_.empty() ? Value{} : values_.front(); }

private:
    /// An array or object whose end is still to come.
    struct Open {
        Value list;  ///< none: an object
        std::size_t first_value;
        ObjectBuilder::Numbers numbers;  ///< what was made before its content
    };

    void open(Value list) { open_.push_back({list, values_.size(), builder_.numbers()}); }
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
        builder_.fill_with_frames(list, frames_);
        return true;
    }

    ObjectBuilder& builder_;
    std::vector<Value> values_;  ///< of all that is open
    std::vector<Open> open_;
    std::vector<FrameId> frames_;
};

}  // namespace

Value read_json_objects(TextSource& text, ObjectBuilder& builder) {
    ObjectHandler handler(builder);
    JsonScanner(text, handler).run();
    return handler.root();
}

}  // namespace snapviewer
