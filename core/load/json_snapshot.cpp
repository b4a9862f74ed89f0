#include "core/load/json_snapshot.h"

#include "core/load/cut_short.h"
#include "core/load/json_objects.h"

namespace snapviewer {
namespace {

/// Byte source that forwards the pieces of a text, and publishes the snapshot read so far before each piece.
class ShownText : public ByteSource {
public:
    ShownText(ByteSource& text, ObjectBuilder& builder) : text_(text), builder_(builder) {}

    std::string_view next_piece() override {
        builder_.show();
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
    return finish_read(builder, root, end.damage, end.behind);
}

}  // namespace snapviewer
