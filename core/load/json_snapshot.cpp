#include "core/load/json_snapshot.h"

#include "core/load/cut_short.h"
#include "core/load/json_objects.h"

namespace snapviewer {
namespace {

/// Passes text on, and publishes the snapshot so far before each piece.
class ShownText : public ByteSource {
public:
    ShownText(ByteSource& text, ObjectBuilder& builder, Progress& progress)
        : text_(text), builder_(builder), progress_(progress) {}

    std::string_view next_piece() override {
        builder_.show(progress_);
        return text_.next_piece();
    }

private:
    ByteSource& text_;
    ObjectBuilder& builder_;
    Progress& progress_;
};

}  // namespace

bool looks_like_json(std::string_view front) {
    if (front.starts_with("\xEF\xBB\xBF")) front.remove_prefix(3);
    const std::size_t first = front.find_first_not_of(" \t\r\n");
    return first != front.npos && (front[first] == '{' || front[first] == '[');
}

std::unique_ptr<Snapshot> read_json_snapshot(ByteSource& text, Progress& progress) {
    ObjectBuilder builder(progress.budget());
    ShownText shown(text, builder, progress);
    JsonEnd end;
    const Value root = read_json_objects(shown, builder, &end);
    return finish_read(builder, root, end.damage, end.behind);
}

}  // namespace snapviewer
