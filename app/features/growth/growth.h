#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/features/details/stacks.h"
#include "app/features/findings/findings.h"
#include "app/features/selection/selection.h"
#include "app/features/session.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"
#include "core/analysis/growth/growth.h"
#include "core/timeline/timeline.h"
#include "core/timeline/totals.h"

namespace snapviewer::growth {

/// Id of the page; see DockRow::id.
inline constexpr std::string_view k_growth_page = "growth";

/// The two flags on the time axis, with the allocations that were made between them and are still alive.
struct GenerationState {
    bool is_drawn = false;               ///< true if the flags are drawn in the timeline
    const Timeline* timeline = nullptr;  ///< the timeline that contains the flags; compared, but never dereferenced
    TickRange flags;
    std::vector<std::uint32_t> edges;  ///< ticks of the boundaries of training steps, to which flags snap
    std::optional<TickRange> listed;   ///< range for which `left` was computed
    details::StackList left;
    std::optional<StackId> chosen;  ///< the highlighted stack
};

/// The side page that lists the stacks that grow, and its marks in the picture. Main thread.
class GrowthPage : public Feature {
public:
    /// Keeps references; all must outlive this object.
    GrowthPage(Session& session, Pictures& pictures, selection::Selection& selection, const findings::Answers& answers)
        : session_(session), pictures_(pictures), selection_(selection), answers_(answers) {}

    /// Called every frame.
    void update() override;
    /// Highlights all allocations of the growing stack at `index`, see growth_row(). No-op if there is no such stack.
    void go_to(std::size_t index);
    /// Chooses whether the page lists the growth per training step, or what was made between two flags and is still alive.
    void show_flags(bool is_between_flags) { is_between_flags_ = is_between_flags; }
    /// The row that is highlighted in the timeline.
    std::optional<std::size_t> chosen() const { return chosen_; }
    const GenerationState& generation() const { return generation_; }
    /// The analyses whose growing stacks the page lists.
    const findings::Answers& answers() const { return answers_; }
    void connect(Switchboard& board) override;
    void leave() override;

private:
    std::vector<AllocationId> allocations_between_flags() const;
    void draw(Requests& requests);
    void draw_choice();
    void draw_generation(Requests& requests);
    void draw_rows(Requests& requests);
    void draw_row(const Growth& growth, std::size_t index, Requests& requests);
    void draw_in_picture();

    Session& session_;
    Pictures& pictures_;
    selection::Selection& selection_;
    const findings::Answers& answers_;
    std::shared_ptr<const answers::DeviceAnswers> listed_;  ///< the answers that `chosen_` refers to
    std::optional<std::size_t> chosen_;
    bool is_between_flags_ = false;
    GenerationState generation_;
};

inline std::size_t growth_row_count(const Growth& growth) { return growth.suspects.size() + growth.settled.size(); }
/// The growing stack at `index` in the displayed order: possible leaks first, then all other rows. Precondition: `index` is
/// less than growth_row_count().
const GrowthRow& growth_row(const Growth& growth, std::size_t index);
/// Name of a growth state for the user, such as "a leak".
const char* growth_state_words(GrowthState state);
/// A sentence with the number of analysed steps and the change of the total, or the reason why growth is unknown.
std::string growth_sentence(const Growth& growth);
/// Text of a growth row's tooltip, with several lines. `training` is true if the steps are training steps.
std::string growth_row_facts(const GrowthRow& row, bool training);

}  // namespace snapviewer::growth
