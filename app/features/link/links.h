#pragma once

#include <optional>
#include <string>

#include "app/features/findings/findings.h"
#include "app/features/query/queries.h"
#include "app/features/save_picture/picture_spec.h"
#include "app/features/session.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"
#include "core/base/result.h"

/// The current view as a text that can be shared as a link. No GUI dependencies.
namespace snapviewer::link {

/// The view of a file that a link describes.
struct LinkedPlace {
    save_picture::PictureSpec picture;  ///< the picture; its file and size are not set
    std::string sql;                    ///< query to run; empty for none
};

/// Parses the output of Links::place_text(); `text` is untrusted. An error names the invalid part.
Result<LinkedPlace> parse_place(const std::string& text);
/// Help text of the option --show.
inline constexpr const char* k_show_about =
    "What to show of the file: its picture, part, colours, selection and query, as File > Copy the command that opens this "
    "writes them";
/// Returns why `parse_place()` would reject `text`, or "" if it is valid.
std::string is_place(const std::string& text);

/// Links to the current view: copies them, and opens the view that a link describes. Main thread.
class Links : public Feature {
public:
    /// Keeps references; all must outlive this object.
    Links(Session& session, Pictures& pictures, const findings::Answers& answers, const query::QueryPaneState& query)
        : session_(session), pictures_(pictures), answers_(answers), query_(query) {}

    /// Returns the current view as "axis=time&device=1&view=...": the picture, its part in view, colours, search, selection,
    /// and the query that was run. Empty if the view cannot be expressed as a link.
    std::string place_text() const;

    /// Shows the place that the link `place` describes, in the open file or, if none is open, in the next file that opens.
    /// Parts that the file does not have are skipped with a notice.
    void show(const std::string& place);
    void connect(Switchboard& board) override;
    void leave() override;
    /// Continues with a pending link once its picture has been built. Called every frame.
    void update() override;
    /// Shows the address of the view in the browser, if the program is a page.
    void end_frame() override;

private:
    void copy();
    /// Returns true once the picture is on the screen or cannot be shown at all.
    bool bring_picture(const save_picture::PictureSpec& picture);
    /// Returns false while the kinds of memory that the link refers to are not known yet.
    bool highlight(const save_picture::PictureSpec& picture);
    void show_rest(const LinkedPlace& place);
    void show_select(const save_picture::PictureSpec& picture);

    Session& session_;
    Pictures& pictures_;
    const findings::Answers& answers_;
    const query::QueryPaneState& query_;
    Requests* requests_ = nullptr;
    std::optional<LinkedPlace> wanted_;
    bool is_asked_for_ = false;  ///< true once the picture of `wanted_` was requested
};

}  // namespace snapviewer::link
