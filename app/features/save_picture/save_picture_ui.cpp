#include "app/features/save_picture/save_picture.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/features/save_picture/picture_spec.h"
#include "app/features/timeline/colouring.h"
#include "app/system/programs.h"
#include "app/system/window_system.h"
#include "app/ui/item_observer.h"
#include "app/ui/texts.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/query/database.h"
#include "core/system/processes.h"

namespace snapviewer::save_picture {

std::string why_no_render_command(const Session& session) {
    if (!session.document) return "No file is open";
    if (session.shows_flame_graph()) return "Flame graphs come from snapviewer tree";
    if (session.shown_icicle() != nullptr) return "";
    const Timeline* timeline = session.current_timeline();
    if (timeline == nullptr) return "There is no picture";
    const auto& devices = session.document->snapshot->devices;
    const auto first = std::ranges::find(devices, devices[session.device_index].device, &DeviceTrace::device);
    const bool is_first = first - devices.begin() == static_cast<std::ptrdiff_t>(session.device_index);
    return is_first ? "" : "Another part of the file has the same device number, so a command cannot select this one";
}

namespace {

/// Adds the highlight and the selection to `spec`.
void add_highlight(const Session& session, PictureSpec& spec) {
    if (const auto* text = session.highlight.as<TextSought>(); text != nullptr && !text->terms.empty())
        spec.search = text->text;
    if (const auto stack = session.highlight.stack()) spec.stack = static_cast<int>(stack->value);
    if (const auto* group = session.highlight.as<GroupSought>()) spec.group = group->name;
    if (session.selected().is_some()) spec.select = first_select(session) + session.selected().value;
}

}  // namespace

std::size_t first_select(const Session& session) {
    if (session.current_kind() != ViewKind::allocations) return 0;
    return static_cast<std::size_t>(query::first_allocation_row(*session.document->snapshot, session.device_index));
}

std::string left_out_of_render(const Session& session) {
    if (session.shown_icicle() != nullptr || session.current_timeline() == nullptr) return "";
    std::string left_out;
    if (session.highlight.as<AllocationsSought>() != nullptr) left_out = "the highlighting";
    const bool has_tracks = std::ranges::any_of(session.timeline.query_tracks, [&](const QueryTrack& query) {
        return query.timeline.get() == session.current_timeline();
    });
    if (has_tracks) left_out += left_out.empty() ? "tracks of queries" : " and tracks of queries";
    return left_out;
}

PictureSpec shown_picture(const Session& session, mesh::ThemeVariant ground) {
    const Document& document = *session.document;
    PictureSpec spec;
    spec.file = document.path;
    spec.with = document.with;
    if (document.part > 1) spec.part = document.part;
    if (ground == mesh::ThemeVariant::light) spec.theme = "light";
    if (const stacks::Icicle* icicle = session.shown_icicle()) {
        spec.picture = icicle->name;
        return spec;
    }
    const DeviceState& device = session.current_device();
    if (document.devices.size() > 1) spec.device = document.snapshot->devices[session.device_index].device;
    if (session.current_kind() != ViewKind::allocations)
        spec.shows = view_kind_names()[static_cast<std::size_t>(session.current_kind())];
    spec.axis = device.axis == Axis::time ? "time" : "steps";
    // Kinds exist for allocations alone; pictures of segments or pools are coloured by stack instead.
    const bool has_colours = session.colour_by != mesh::ColourBy::kind || session.current_kind() == ViewKind::allocations;
    spec.colour_by = colour_name(has_colours ? session.colour_by : mesh::ColourBy::stack);
    spec.remembered = true;
    add_highlight(session, spec);
    spec.view = view_text(device.view);
    return spec;
}

std::string render_command_line(const Session& session, mesh::ThemeVariant ground) {
    PictureSpec spec = shown_picture(session, ground);
    spec.file = users_path(spec.file);
    spec.with = spec.with.empty() ? "" : users_path(spec.with);
    spec.out = "picture.png";
    std::string line;
    for (const std::string& word : command_words(spec)) {
        // The value is quoted for the shell, but not the option's name.
        const std::size_t value_at = word.starts_with("--") ? word.find('=') + 1 : 0;
        line += (line.empty() ? "" : " ") + word.substr(0, value_at) + shell_word(word.substr(value_at));
    }
    return line;
}

void PictureSaver::connect(Switchboard& board) {
    const auto can_render = [](const Session& session) { return why_no_render_command(session).empty(); };
    board.docked.push_back({.dock = Dock::window,
                            .command = CommandId::file_save_picture,
                            .is_possible = can_render,
                            .doc = why_no_render_command,
                            .is_open = &is_open_,
                            .draw = [this](const Area&, Requests& requests) { draw_window(requests); }});
    board.commands.on(
        CommandId::edit_copy_command,
        {.is_possible = can_render, .doc = why_no_render_command, .run = [this, &board] { copy_command(board.requests); }});
}

/// Saves the picture on the screen in the same way as the command line does.
void PictureSaver::save() {
    if (session_.notice = why_no_render_command(session_); !session_.notice.empty()) return;
    // The child process reads the preferences from their file.
    (void)save_preferences(session_.preferences, OutputFile::Durability::unsynced);
    PictureSpec spec = shown_picture(session_, palette().ground);
    spec.out = saved_path_ = path_;
    spec.size = size_;
    left_out_ = left_out_of_render(session_);
    if (program_path().empty()) return report(draw_here_(spec));
    std::vector<std::string> words = command_words(spec);
    words.front() = program_path().string();
    drawing_.start_writing(0, [words = std::move(words)](const Progress& progress) -> Result<std::monostate> {
        const Status drawn = run_program(words, progress);
        if (!drawn) return drawn.error();
        return std::monostate();
    });
}

void PictureSaver::copy_command(Requests& requests) const {
    if (!why_no_render_command(session_).empty()) return;
    requests.ask(CopyText{render_command_line(session_, palette().ground), "The command for this picture"});
}

void PictureSaver::report(const Status& drawn) {
    session_.notice = drawn ? "" : drawn.error().text();
    if (!drawn) return;
    offer_download(saved_path_);
    session_.toasts.say("Saved the picture as " + saved_path_ + (left_out_.empty() ? "" : ", without " + left_out_));
    is_open_ = false;
}

void PictureSaver::update() {
    if (const auto drawn = drawing_.take()) report(*drawn ? Status() : Status(drawn->error()));
}

namespace {

namespace fs = std::filesystem;

void draw_named_field(const char* label, const char* rect, std::string& text, float width_px) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(label);
    ImGui::SameLine(scaled(64));
    ImGui::SetNextItemWidth(scaled(width_px));
    ImGui::InputText((std::string("##") + label).c_str(), &text);
    observe_item(rect);
}

}  // namespace

void PictureSaver::draw_format(const char* words, const char* doc, bool is_svg) {
    if (ImGui::RadioButton(words, is_svg_ == is_svg)) {
        is_svg_ = is_svg;
        path_ = fs::path(path_).replace_extension(is_svg ? ".svg" : ".png").string();
    }
    observe_item(is_svg ? "save_picture_svg" : "save_picture_png");
    if (ImGui::IsItemHovered()) item_tooltip(doc);
}

void PictureSaver::draw_window(Requests& requests) {
    if (!is_open_) return;
    if (begin_floating_window("Save the picture", is_open_, ImGuiWindowFlags_AlwaysAutoResize)) {
        const std::string file = session_.document ? session_.document->path : std::string();
        if (ImGui::IsWindowAppearing()) path_ = fs::path(file).replace_extension(is_svg_ ? ".svg" : ".png").string();
        draw_format("PNG", "Pixels, as on the screen", false);
        ImGui::SameLine(0, scaled(16));
        draw_format("SVG", "Vectors: blocks, axes and curves as shapes, labels as text", true);
        draw_named_field("File", "save_picture_path", path_, 420);
        draw_named_field("Size", "save_picture_size", size_, 120);
        std::error_code ignored;
        const bool is_there = fs::exists(path_, ignored);
        const bool is_saving = drawing_.is_busy();
        ImGui::BeginDisabled(path_.empty() || is_saving);
        if (observed(ImGui::Button(is_saving ? "Drawing…" : is_there ? "Replace the file" : "Save"), "save_picture_save"))
            requests.later("save the picture as " + path_, [this] { save(); });
        ImGui::EndDisabled();
    }
    ImGui::End();
}

}  // namespace snapviewer::save_picture
