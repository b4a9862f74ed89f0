#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/features/emphasis.h"
#include "app/features/requests.h"
#include "app/features/selection/selection.h"
#include "app/features/session.h"
#include "app/ui/feature.h"
#include "core/base/job.h"
#include "core/base/result.h"

namespace snapviewer {

/// Runs slow searches on a worker thread, while the window keeps showing the previous result.
class SlowSearch : public Feature {
public:
    /// Keeps references; both must outlive this object.
    SlowSearch(Session& session, Selection& selection) : session_(session), selection_(selection) {}

    void connect(Switchboard& board) override;

    /// Called every frame: starts a job when the search has changed, and takes its result.
    void update() override;
    bool is_busy() const override { return session_.search.is_waiting || finding_.is_busy(); }
    void describe(nlohmann::json& report) const override;

private:
    void ask_in_sql(Requests& requests);
    bool is_asked(const Timeline* timeline) const;

    Session& session_;
    Selection& selection_;
    Job<Emphasis> finding_;
    std::shared_ptr<const Timeline> timeline_;  ///< timeline that is being searched; null without a running job
    std::string text_;
};

/// Returns why the current search cannot be expressed in SQL, as a sentence; empty if it can.
std::string why_no_search_sql(const Session& session);
/// Returns an SQL query that finds the same allocations as the search. Precondition: why_no_search_sql() is empty.
Result<std::string> search_as_sql(const Session& session);

struct SearchScene {
    const Timeline& timeline;
    AllocationId selected;
    std::optional<std::uint32_t> cursor_tick;  ///< the moment under the mouse, if the mouse is over the picture
    std::string why_no_sql;                    ///< why the search cannot be expressed in SQL; empty if it can
};

/// Draws a row above the picture: the search field, the number of hits or an error, buttons for the previous and next hit,
/// for a list of hits and for SQL, and a help on the search syntax.
void draw_search_bar(SearchState& state, const SearchScene& scene, Requests& requests);

/// Number of hits and their bytes: "3 of 176  ·  at the peak 1.5 GiB in 3", or a sentence if there are no hits.
std::string hits_text(const SearchState& state, const SearchScene& scene);

}  // namespace snapviewer
