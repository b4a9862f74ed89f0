#include "core/load/json_objects.h"

#include <bit>

#include "core/load/json_sax.h"
#include "core/load/limits.h"

namespace snapviewer {
namespace {

/// Objects and arrays on a stack, handed to the builder as each closes.
class ObjectSax : public JsonSax {
public:
    ObjectSax(ZipMemberReader& member, ObjectBuilder& builder) : JsonSax(member), builder_(builder) {}

    bool null() { return push({}); }
    bool boolean(bool value) { return push({Value::Kind::boolean, value ? 1U : 0U}); }
    bool number_integer(number_integer_t value) { return push(Value::integer(static_cast<std::uint64_t>(value))); }
    bool number_unsigned(number_unsigned_t value) { return push(Value::integer(value)); }
    bool number_float(number_float_t value, const string_t&) {
        return push({Value::Kind::real, std::bit_cast<std::uint64_t>(value)});
    }
    bool string(string_t& text) { return push(Value::string(builder_.snapshot().strings.intern(text))); }
    bool key(string_t& text) { return string(text); }
    bool start_object(std::size_t) { return open(); }
    bool start_array(std::size_t) { return open(); }
    bool end_object() {
        const Value dict = builder_.new_dict();
        builder_.set_items(dict, above_mark());
        return close(dict);
    }
    bool end_array() {
        const Value list = builder_.new_list();
        if (!fill_as_stack(list)) builder_.append(list, above_mark());
        return close(list);
    }

    Value root() const { return stack_.empty() ? Value{} : stack_.front(); }

private:
    bool push(Value value) {
        stack_.push_back(value);
        return true;
    }
    bool open() {
        if (marks_.size() > static_cast<std::size_t>(limits::k_json_depth))
            reject("brackets nested deeper than any snapshot's");
        marks_.push_back(stack_.size());
        return true;
    }
    bool close(Value value) {
        stack_.resize(marks_.back());
        marks_.pop_back();
        return push(value);
    }
    std::span<const Value> above_mark() const { return std::span<const Value>(stack_).subspan(marks_.back()); }

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
    std::vector<Value> stack_;
    std::vector<std::size_t> marks_;
    std::vector<FrameId> frames_;
};

}  // namespace

Value read_json_objects(ZipMemberReader& member, ObjectBuilder& builder) {
    ObjectSax sax(member, builder);
    try {
        parse_member(member, sax);
    } catch (ReadFailure& failure) {
        if (failure.error.code == ErrorCode::bad_file && !failure.error.offset) {
            failure.error.offset = member.offset();
            failure.error.context = "member " + member.name();
        }
        throw;
    }
    return sax.root();
}

}  // namespace snapviewer
