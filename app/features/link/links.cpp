#include "app/features/link/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/features/navigation/navigation.h"
#include "app/features/save_picture/picture_spec.h"
#include "app/features/save_picture/save_picture.h"
#include "app/features/timeline/colouring.h"
#include "app/system/window_system.h"
#include "app/ui/texts.h"
#include "core/base/addresses.h"

namespace snapviewer::link {
namespace {

constexpr const char* k_sql = "sql";

}  // namespace

std::string Links::place_text() const {
    save_picture::Parameters parameters;
    if (save_picture::why_no_render_command(session_).empty())
        parameters = save_picture::parameters_of(save_picture::shown_picture(session_, mesh::ThemeVariant::dark));
    const std::string& sql = query_.tab().ran_sql;
    if (session_.document && query_.is_open && !sql.empty()) parameters[k_sql] = sql;
    const std::string query = query_of(parameters);
    return query.empty() ? "" : query.substr(1);
}

Result<LinkedPlace> parse_place(const std::string& text) {
    const auto parameters = parse_query(text);
    if (!parameters) return Error{ErrorCode::bad_query, "the link is broken: it is not of the form name=value&name=value"};
    Result<save_picture::PictureSpec> picture = save_picture::picture_of(*parameters);
    if (!picture) return picture.error();
    const auto sql = parameters->find(k_sql);
    return LinkedPlace{*std::move(picture), sql == parameters->end() ? "" : sql->second};
}

std::string is_place(const std::string& text) {
    const Result<LinkedPlace> place = parse_place(text);
    return place ? "" : place.error().message;
}

namespace {

std::optional<std::size_t> device_numbered(const Document& document, int number) {
    const auto& devices = document.snapshot->devices;
    const auto found = std::ranges::find(devices, number, &DeviceTrace::device);
    return found == devices.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - devices.begin()));
}

/// Returns the index of the picture with this name, numbered as in `show_picture()`: 0 is the timeline.
std::optional<std::size_t> picture_named(const Document& document, const std::string& name) {
    if (name == "iteration") return 0;
    const auto found = std::ranges::find(document.icicles, name, &stacks::Icicle::name);
    if (found == document.icicles.end()) return std::nullopt;
    return static_cast<std::size_t>(found - document.icicles.begin()) + 1;
}

}  // namespace

void Links::connect(Switchboard& board) {
    requests_ = &board.requests;
    board.commands.on(
        CommandId::file_copy_link,
        {.is_possible = [this](const Session&) { return !place_text().empty(); },
         .doc = [](const Session&) { return "With the part in view, the colours, the selection and the query"; },
         .own_words = [](const Session&) { return std::string(k_has_address ? "Copy a link to this" : ""); },
         .run = [this] { copy(); }});
    board.handlers.on<ShowPlace>([this](const ShowPlace& asked) { show(asked.place); });
}

void Links::copy() {
    const std::string place = place_text();
    const std::string& path = session_.document->path;
    if (k_has_address)
        requests_->ask(CopyText{address_of(path, place), "The link"});
    else
        requests_->ask(CopyText{fmt::format("snapviewer {} --show {}", shell_word(path), shell_word(place)), "The command"});
}

void Links::show(const std::string& place) {
    Result<LinkedPlace> wanted = parse_place(place);
    if (!wanted) {
        session_.notice = wanted.error().message;
        return;
    }
    wanted_ = *std::move(wanted);
    is_asked_for_ = false;
}

void Links::leave() {
    if (session_.document) wanted_.reset();
}

void Links::update() {
    if (!wanted_ || !session_.document) return;
    if (!bring_picture(wanted_->picture)) return;
    if (!highlight(wanted_->picture)) return;
    show_rest(*std::exchange(wanted_, std::nullopt));
}

void Links::end_frame() {
    if (k_has_address && session_.document) show_address(session_.document->path, place_text());
}

bool Links::bring_picture(const save_picture::PictureSpec& picture) {
    if (is_asked_for_ || session_.current_timeline() == nullptr) return !pictures_.building().is_busy();
    is_asked_for_ = true;
    if (picture.device) {
        if (const auto device = device_numbered(*session_.document, *picture.device))
            pictures_.show_device(*device);
        else
            session_.notice = fmt::format("This file has no device {}, which the link is about", *picture.device);
    }
    const std::vector<std::string> kinds = view_kind_names();
    const auto kind = std::ranges::find(kinds, picture.shows.empty() ? kinds.front() : picture.shows);
    if (kind != kinds.end()) pictures_.show_view(static_cast<ViewKind>(kind - kinds.begin()));
    if (const auto by = colour_named(picture.colour_by)) pictures_.colour_by(*by);
    return !pictures_.building().is_busy();
}

bool Links::highlight(const save_picture::PictureSpec& picture) {
    if (session_.current_timeline() == nullptr) return true;
    const auto& groups = session_.groups.groups;
    const auto group = std::ranges::find(groups, picture.group, &mesh::ColourGroup::name);
    const auto index = static_cast<std::size_t>(group - groups.begin());
    const bool is_wanted = !picture.group.empty();
    if (is_wanted && group == groups.end()) {
        const findings::FindingsState& found = answers_.state();
        const bool are_kinds_due = !found.is_ready() && !found.work.is_at_rest();
        if (session_.colour_by == mesh::ColourBy::kind && are_kinds_due) return false;
        session_.notice = "The legend of these colours has no row " + picture.group + ", which the link is about";
        // A second request would end the highlight.
    } else if (is_wanted && session_.highlight.group() != index) {
        requests_->ask(HighlightGroup{index});
    }
    if (!picture.search.empty()) requests_->ask(FindText{picture.search});
    const auto stacks = static_cast<std::int64_t>(session_.document->snapshot->stacks.stack_count());
    if (picture.stack && *picture.stack >= 0 && *picture.stack < stacks)
        requests_->ask(HighlightStack{StackId{static_cast<std::uint32_t>(*picture.stack)}});
    else if (picture.stack)
        session_.notice = fmt::format("This file has no stack {}, which the link is about", *picture.stack);
    return true;
}

void Links::show_rest(const LinkedPlace& place) {
    const save_picture::PictureSpec& picture = place.picture;
    if (const auto shown = picture_named(*session_.document, picture.picture)) navigation::show_picture(session_, *shown);
    if (session_.current_timeline() != nullptr && session_.shown_icicle() == nullptr) {
        const char* const axis = session_.current_device().axis == Axis::time ? "time" : "steps";
        if (!picture.axis.empty() && picture.axis != axis) navigation::toggle_axis(session_);
        show_select(picture);
        if (const auto part = save_picture::parse_view(picture.view)) {
            View view = fit_view(session_.current_limits());
            view.x_begin = part->view.x_begin;
            view.x_end = part->view.x_end;
            if (part->has_y) view = part->view;
            requests_->ask(ShowPart{view});
        }
    }
    if (!place.sql.empty()) requests_->ask(PutQuery{place.sql, place.sql.size(), place.sql.size(), true});
}

void Links::show_select(const save_picture::PictureSpec& picture) {
    if (!picture.select) return;
    const std::size_t first = save_picture::first_select(session_);
    if (*picture.select < first || *picture.select - first >= session_.current_timeline()->allocation_count()) {
        session_.notice = fmt::format("This picture has no allocation {}, which the link is about", *picture.select);
        return;
    }
    requests_->ask(SelectAllocation{AllocationId{static_cast<std::uint32_t>(*picture.select - first)}});
}

}  // namespace snapviewer::link
