#pragma once

#include <memory>
#include <string>
#include <utility>

#include "app/features/requests.h"
#include "app/features/selection/selection.h"
#include "app/features/session.h"
#include "app/ui/background_task.h"
#include "app/ui/feature.h"
#include "core/base/result.h"

namespace snapviewer::search {

/// The search bar above the picture: the search field, the number of hits or an error, buttons for the previous and next
/// hit, for a list of hits and for SQL, and a help on the search syntax. Runs slow searches on a worker thread, while the
/// window keeps showing the previous result. The search itself is Session::highlight.
class SearchBar : public Feature {
public:
    /// Keeps references; both must outlive this object.
    SearchBar(Session& session, selection::Selection& selection) : session_(session), selection_(selection) {}

    void connect(Switchboard& board) override;
    bool dismiss(Requests& requests) override;
    void adopt() override { was_opened_ = was_opened_ && session_.document != nullptr; }
    /// Called every frame: starts a search when it has changed, and takes its result.
    void update() override;
    bool is_busy() const override { return session_.highlight.is_waiting || task_.is_busy(); }

    /// True if the bar is shown: it was opened, or something is highlighted.
    bool is_open() const { return was_opened_ || !session_.highlight.is_none(); }

private:
    void open();
    void close();
    void ask_in_sql(Requests& requests);
    void draw(Requests& requests);
    void draw_field(Requests& requests);
    void draw_syntax(Requests& requests);
    float draw_right_buttons(Requests& requests);
    std::string typed_text() const;
    std::string hits_text() const;

    Session& session_;
    selection::Selection& selection_;
    bool was_opened_ = false;   ///< the user has opened the bar, and nothing was highlighted since
    bool focus_input_ = false;  ///< the search field takes the keyboard focus in the next frame
    /// Follows the timeline and the text of a slow search.
    BackgroundTask<Emphasis, std::pair<std::shared_ptr<const Timeline>, std::string>> task_;
};

/// Returns why the current search cannot be expressed in SQL, as a sentence; empty if it can.
std::string why_no_search_sql(const Session& session);

}  // namespace snapviewer::search
