#include "app/features/details/selected_details.h"

#include <utility>

#include "app/features/details/details_view.h"
#include "app/features/timeline/allocation_text.h"
#include "app/ui/characters.h"
#include "app/ui/sandboxed.h"

namespace snapviewer {
namespace {

/// The work that reads the details of one allocation from the file. Takes milliseconds.
Job<LookedUpDetails>::Work make_details_job(std::shared_ptr<DetailSource> source, std::size_t device_index,
                                            AllocationId id) {
    return [source = std::move(source), device_index, id](Progress&) {
        enter_sandbox_here({});
        Result<std::vector<DetailSection>> sections = source->details(device_index, id);
        if (sections) sections = within_budget(*std::move(sections));
        return LookedUpDetails{source, id, std::move(sections)};
    };
}

}  // namespace

void SelectedDetails::update() {
    DetailsState& details = state_.details;
    const Timeline* timeline = state_.current_timeline();
    const bool is_of_file = timeline != nullptr && state_.current_kind() == ViewKind::allocations;
    const std::shared_ptr<DetailSource> source = is_of_file ? state_.document->details : nullptr;
    if (timeline != nullptr && state_.selected().is_some() &&
        keep_details(details, *timeline, state_.current_overlays(), state_.selected()) && source != nullptr) {
        details.is_looking_up = true;
        job_.start(make_details_job(source, state_.device_index, state_.selected()));
    }
    std::optional<LookedUpDetails> answer = job_.take();
    if (!answer || !details.is_looking_up || answer->source != source || answer->id != details.id) return;
    details.is_looking_up = false;
    if (!answer->sections) {
        details.lookup_error = answer->sections.error().text();
        return;
    }
    details.sections = *std::move(answer->sections);
    for (const DetailSection& section : details.sections) {
        for (const auto& [name, value] : section.rows) {
            need_characters(name);
            need_characters(value);
        }
    }
}

}  // namespace snapviewer
