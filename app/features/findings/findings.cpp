#include "app/features/findings/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "app/features/answers/device_answers.h"
#include "app/features/requests.h"
#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/ui/texts.h"
#include "core/analysis/oom/card_use.h"
#include "core/timeline/recording_facts.h"
#include "core/timeline/totals.h"

namespace snapviewer::findings {
namespace {

/// Number of frames that are drawn before the analyses begin, because both need the processor.
constexpr int k_frames_before = 2;
/// Maximum number of events in all devices for which the findings of devices off the screen are counted. Their analyses stay
/// in memory with about 100 bytes per event.
constexpr std::size_t k_max_events_counted = 2'000'000;
/// Width of a view around a moment, as a fraction of the recording.
constexpr double k_part_around = 0.125;

void show_characters(const answers::DeviceAnswers& answers) {
    for (const DeviceFinding& finding : *answers.findings) {
        need_characters(finding.sentence);
        need_characters(finding.hint);
    }
    for (const growth::GrowthRow& row : answers.growth->suspects) need_characters(row.source);
    for (const growth::GrowthRow& row : answers.growth->settled) need_characters(row.source);
    for (const oom::OomVerdict& verdict : answers.oom->verdicts) {
        need_characters(verdict.stack_source);
        for (const stacks::SourceBytes& holder : verdict.largest_sources) need_characters(holder.source);
    }
}

bool grows(const DeviceFinding& finding) { return finding.code == "leak" || finding.code == "possible_leak"; }

/// True if the finding is about free memory between blocks, which only the address map shows.
bool is_about_idle_memory(const DeviceFinding& finding) {
    constexpr std::array k_codes = {"cached_idle", "fragmentation", "pinned_segments", "private_pool_idle"};
    return std::ranges::find(k_codes, finding.code) != k_codes.end();
}

}  // namespace

void Answers::forget() {
    task_.discard();
    document_ = session_.document;
    of_devices_.assign(session_.devices.size(), {});
    state_ = {};
    frames_drawn_ = 0;
}

void Answers::take() {
    std::optional<Result<answers::DeviceAnswers>> made = task_.take();
    if (!made) return;
    Outcome& outcome = of_devices_[working_on_];
    if (!*made) {
        outcome.error = made->error();
        return;
    }
    show_characters(**made);
    outcome.answers = std::make_shared<const answers::DeviceAnswers>(std::move(**made));
    DevicePictures& listed = session_.devices[working_on_];
    listed.findings = outcome.answers->findings->size();
    listed.badges = device_badges(*document_->devices[working_on_].timeline, growth::has_leak(*outcome.answers->growth));
}

/// The device to analyse next: the one on the screen, then the other devices if counting their findings costs little.
/// nullopt if there is none.
std::optional<std::size_t> Answers::next_device() const {
    if (session_.current_timeline() == nullptr) return std::nullopt;
    const Outcome& shown = of_devices_[session_.device_index];
    if (shown.is_due()) return session_.device_index;
    std::size_t events = 0;
    for (const DeviceTrace& trace : document_->snapshot->devices) events += trace.events.size();
    if (shown.error || events > k_max_events_counted) return std::nullopt;
    const auto other = std::ranges::find_if(of_devices_, &Outcome::is_due);
    return other == of_devices_.end() ? std::nullopt : std::optional<std::size_t>(other - of_devices_.begin());
}

void Answers::begin_if_due() {
    const std::optional<std::size_t> next = next_device();
    const bool is_urgent = next == session_.device_index && working_on_ != session_.device_index;
    is_due_ = next && (!task_.is_busy() || is_urgent);
    frames_drawn_ = pictures_.is_sending() ? 0 : std::min(frames_drawn_ + 1, k_frames_before + 1);
    if (!is_due_ || frames_drawn_ <= k_frames_before) return;
    working_on_ = *next;
    task_.start(document_->snapshot->read_bytes,
                [document = document_, device = working_on_](Progress&) { return answers::make_answers(document, device); });
    is_due_ = false;
}

void Answers::show_state() {
    const Outcome& outcome = of_devices_[session_.device_index];
    if (state_.answers != outcome.answers) {
        state_ = {};
        state_.answers = outcome.answers;
        pictures_.use_answers(outcome.answers);
    }
    state_.not_told = answers::what_is_not_told(document_->analyses->device(session_.device_index));
    state_.work = {};
    if (outcome.error) {
        state_.work.is_stopped = outcome.error->code == ErrorCode::cancelled;
        if (!state_.work.is_stopped) state_.work.error = outcome.error->text();
    } else if (outcome.is_due() && task_.is_busy() && working_on_ == session_.device_index) {
        state_.work.fraction = task_.progress().fraction();
        state_.work.status = answers::answering_text(state_.work.fraction);
    }
}

void Answers::update() {
    if (document_ != session_.document) forget();
    take();
    begin_if_due();
    if (session_.current_timeline() != nullptr) show_state();
}

void Answers::restart() {
    if (session_.current_timeline() != nullptr) of_devices_[session_.device_index].error.reset();
}

void Answers::read_error(const std::string& text) {
    if (!state_.is_ready()) return;
    std::optional<oom::CardFigures> figures = oom::last_oom_message(text);
    if (!figures)
        return session_.toasts.say(
            "The clipboard holds no out-of-memory error of PyTorch. Copy it whole, from \"CUDA out of memory\" on");
    DeviceAnalyses& device = document_->analyses->device(session_.device_index);
    if (figures->device != device.trace().device)
        return session_.toasts.say(fmt::format("This error is about device {}, the picture about {}", figures->device,
                                               device_name(device.trace())));
    figures->where = "the error that was pasted";
    const auto space = device.address_space();
    std::vector<oom::CardUse> uses = oom::card_uses(*space, std::span(&*figures, 1), std::nullopt);
    if (uses.empty()) return;
    state_.read_from_error = std::move(uses.front());
    session_.pages.shown = k_findings_page;
}

void Answers::highlight(const DeviceFinding& finding) {
    AllocationsSought sought{finding.allocations, finding.code};
    std::ranges::replace(sought.name, '_', ' ');
    if (!sought.ids.empty())
        selection_.highlight(std::move(sought));
    else if (session_.highlight.as<AllocationsSought>() != nullptr)
        selection_.close_search();
}

/// Lists the allocations that are live at a moment, and selects a marker at that moment. Returns the tick of the moment.
std::uint32_t Answers::mark_moment(std::uint32_t moment) {
    const Timeline& timeline = *session_.current_timeline();
    const std::uint32_t tick = tick_of_moment(timeline, moment);
    live_.list(tick);
    const std::vector<Marker>& markers = session_.current_overlays().markers;
    const auto marker = std::ranges::find(markers, tick, [&](const Marker& each) { return tick_of_marker(timeline, each); });
    session_.timeline.overlays.current_marker.reset();
    if (marker != markers.end())
        session_.timeline.overlays.current_marker = static_cast<std::size_t>(marker - markers.begin());
    return tick;
}

View Answers::view_around(std::uint32_t tick) const {
    const Timeline& timeline = *session_.current_timeline();
    const Axis axis = session_.current_device().axis;
    const ViewLimits limits = session_.current_limits();
    View view = fit_view(limits);
    const double width = std::max(limits.min_width, view.width() * k_part_around);
    view.x_begin = std::clamp(place_of_tick(timeline, axis, tick) - width / 2, 0.0, std::max(0.0, limits.x_end - width));
    view.x_end = view.x_begin + width;
    return view;
}

/// Zooms to a finding: to its moment, or to the whole recording for growth, which has no moment.
void Answers::bring_into_view(const DeviceFinding& finding) {
    DeviceState& device = session_.current_device();
    View view = fit_view(session_.current_limits());
    if (finding.moment) {
        const Timeline& timeline = *session_.current_timeline();
        const std::uint32_t tick = mark_moment(*finding.moment);
        if (tick == timeline.peak_tick())
            view = peak_view(timeline, device.axis);
        else if (!grows(finding))
            view = view_around(tick);
    }
    device.view = view;
}

void Answers::go_to_event(std::uint32_t event) {
    if (session_.current_timeline() == nullptr) return;
    pictures_.show(session_.device_index, ViewKind::allocations);
    live_.show_page();
    session_.current_device().view = view_around(mark_moment(event + 1));
}

void Answers::go_to(std::size_t index) {
    const std::shared_ptr<const answers::DeviceAnswers> answers = state_.answers;
    if (!state_.is_ready() || index >= answers->findings->size()) return;
    state_.chosen = index;
    const DeviceFinding& finding = (*answers->findings)[index];
    pictures_.show(session_.device_index, ViewKind::allocations);
    highlight(finding);
    bring_into_view(finding);
    if (is_about_idle_memory(finding)) wanted_moment_ = finding.moment;
}

void Answers::connect(Switchboard& board) {
    connect_clipboard(board);
    board.docked.push_back({.dock = Dock::page,
                            .id = k_findings_page,
                            .command = CommandId::tools_findings,
                            .draw = [this](const Area& /*area*/, Requests& requests) { draw(requests); }});
    board.commands.on(CommandId::findings_restart, {.run = [this] { restart(); }});
    board.commands.on(CommandId::findings_stop, {.run = [this] { stop(); }});
    board.handlers.on<GoToEvent>([this](const GoToEvent& asked) { go_to_event(asked.event); });
    // Kinds of allocations come from the analyses, so colouring by kind restarts them if they were stopped.
    board.handlers.on<ColourAs>([this](const ColourAs& asked) {
        if (asked.by == mesh::ColourBy::kind) restart();
    });
}

}  // namespace snapviewer::findings
