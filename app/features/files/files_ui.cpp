#include "app/features/files/files_ui.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <utility>

#include "app/features/files/files.h"
#include "app/features/kinds/kinds.h"
#include "app/features/session.h"
#include "app/features/timeline/curves_ui.h"
#include "app/system/window_system.h"
#include "app/ui/drawn_text.h"
#include "app/ui/fonts.h"
#include "app/ui/keys.h"
#include "app/ui/state_report.h"
#include "app/ui/texts.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"
#include "core/base/addresses.h"
#include "core/base/text.h"
#include "core/load/remote/fetch.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
namespace {

constexpr ImGuiWindowFlags k_modal_flags =
    ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove;

/// Begins a modal that is open exactly while `is_wanted`. If this returns true, the caller must call ImGui::EndPopup().
bool begin_modal(const char* name, bool is_wanted, float width_px) {
    if (is_wanted && !ImGui::IsPopupOpen(name)) ImGui::OpenPopup(name);
    ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Always, {0.5F, 0.5F});
    const float width = std::min(scaled(width_px), ImGui::GetMainViewport()->Size.x * 0.94F);
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, ImGui::GetMainViewport()->Size.y * 0.94F});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {scaled(20), scaled(16)});
    const bool is_shown = ImGui::BeginPopupModal(name, nullptr, k_modal_flags);
    ImGui::PopStyleVar();
    if (!is_shown) return false;
    if (!is_wanted) ImGui::CloseCurrentPopup();
    return true;
}

/// Begins a window that covers a part of the screen, in front of all other windows, and takes all clicks there. The caller
/// must call ImGui::End().
void begin_cover(const PixelBox& covered) {
    ImGui::SetNextWindowPos(covered.min);
    ImGui::SetNextWindowSize({covered.max.x - covered.min.x, covered.max.y - covered.min.y});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetStyleColorVec4(ImGuiCol_ModalWindowDimBg));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
    ImGui::Begin(
        "Opening a file", nullptr,
        ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav);
    ImGui::PopStyleVar(3);
    ImGui::PopStyleColor();
    if (ImGui::IsWindowAppearing()) ImGui::SetWindowFocus();
}

/// Draws a button at the right edge of the window. Returns whether it was clicked.
bool right_button(const char* label, const char* rect) {
    const float width = scaled(96);
    ImGui::SetCursorPosX(ImGui::GetWindowContentRegionMax().x - width);
    const bool is_pressed = ImGui::Button(label, {width, 0});
    report_rect(rect);
    return is_pressed;
}

float fraction_of(const Progress& progress) { return std::clamp(progress.fraction(), 0.0F, 1.0F); }

/// Progress as text: a percentage, or the bytes read if the total is unknown.
std::string done_text(const Progress& progress) {
    const float fraction = fraction_of(progress);
    if (progress.stage() == Stage::reading && fraction == 0 && progress.done() > 0) return format_bytes(progress.done());
    return fmt::format("{:.0f} %", static_cast<double>(fraction) * 100.0);
}

void draw_bar_and_cancel(const Progress& progress, Requests& requests) {
    ImGui::ProgressBar(fraction_of(progress), {-1, scaled(8)}, "");
    wrapped_text(palette().text_dim, done_text(progress));
    ImGui::SameLine();
    if (right_button("Cancel", "load_cancel") || key_pressed(Key::escape)) requests.ask(RunCommand{CommandId::load_cancel});
}

ImU32 severity_colour(Severity severity) {
    switch (severity) {
        case Severity::info: return palette().text_dim;
        case Severity::notice: return palette().notice;
        case Severity::data_loss: return palette().danger;
    }
    return palette().text;
}

std::string entry_place(const ImportEntry& entry) {
    std::string text = entry.count > 1 ? format_count(entry.count) + " times" : "";
    if (entry.first_offset)
        text += fmt::format("{}first at {}", text.empty() ? "" : ", ", format_count(*entry.first_offset));
    return text;
}

/// The network traffic of a remote file; empty for a local one.
std::string wire_text(const std::string& path, const Progress& progress) {
    const auto remote = remote_address(path);
    if (!remote) return "";
    const std::uint64_t wire_bytes = progress.wire_bytes();
    const bool is_ssh = remote->transport == RemoteAddress::Transport::ssh;
    if (wire_bytes == 0) return is_ssh ? "; connecting to " + remote->host : "; connecting";
    return "; " + format_wire_bytes(wire_bytes, progress.done());
}

void draw_progress(const LoadInSight& load, ImVec2 size_of_curve, Requests& requests) {
    const Stage stage = load.progress->stage();
    const float fraction = fraction_of(*load.progress);
    ImGui::TextUnformatted(display_name(load.path).c_str());
    std::string told = load.progress->stop_requested() ? "stopping" : stage_text(stage);
    if (stage == Stage::reading) told += wire_text(load.path, *load.progress);
    wrapped_text(palette().text_dim, told);
    ImGui::Spacing();
    draw_totals_curve(load.progress->totals(), stage == Stage::reading && fraction > 0 ? fraction : 1, size_of_curve);
    ImGui::Spacing();
    draw_bar_and_cancel(*load.progress, requests);
}

}  // namespace

void draw_progress_dialog(const LoadInSight& load, Requests& requests) {
    if (load.progress == nullptr) return;
    begin_cover(load.covered);
    const bool is_small = load.is_over_picture;
    const ImVec2 room(load.covered.max.x - load.covered.min.x, load.covered.max.y - load.covered.min.y);
    const float curve_height = std::min(scaled(is_small ? 110 : 300), room.y * 0.5F);
    const ImVec2 padding(scaled(20), scaled(16));
    const float lines = 4 * ImGui::GetTextLineHeightWithSpacing() + ImGui::GetFrameHeight();
    const ImVec2 size(std::min(scaled(is_small ? 460 : 960), room.x * 0.94F), curve_height + lines + 2 * padding.y);
    ImGui::SetCursorPos({(room.x - size.x) / 2, std::max(0.0F, (room.y - size.y) / 2)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
    ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, scaled(6));
    ImGui::PushStyleColor(ImGuiCol_ChildBg, ImGui::GetStyleColorVec4(ImGuiCol_PopupBg));
    ImGui::BeginChild("load", size, true, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    draw_progress(load, {ImGui::GetContentRegionAvail().x, curve_height}, requests);
    ImGui::EndChild();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(2);
    ImGui::End();
}

void draw_build_dialog(const std::string& name, const Progress* progress, Requests& requests) {
    if (!begin_modal("Preparing a picture", progress != nullptr, 460)) return;
    if (progress != nullptr) {
        ImGui::TextUnformatted(("Of the " + name + " of this device").c_str());
        wrapped_text(palette().text_dim, progress->stop_requested() ? "stopping" : stage_text(progress->stage()));
        ImGui::Spacing();
        draw_bar_and_cancel(*progress, requests);
    }
    ImGui::EndPopup();
}

void draw_error_dialog(const std::optional<FailedFile>& failed, Requests& requests) {
    if (!begin_modal("This file could not be opened", failed.has_value(), 560)) return;
    if (failed) {
        wrapped_text(palette().text, display_name(failed->path));
        const std::string folder = std::filesystem::path(users_path(failed->path)).parent_path().string();
        if (!is_standard_input(failed->path) && !folder.empty()) wrapped_text(palette().text_faint, folder);
        ImGui::Spacing();
        wrapped_text(palette().danger, failed->error.message);
        if (failed->error.offset) wrapped_text(palette().text_dim, "at byte " + format_count(*failed->error.offset));
        if (!failed->error.context.empty()) wrapped_text(palette().text_dim, "in " + failed->error.context);
        ImGui::Spacing();
        const bool is_acknowledged = right_button("OK", "error_ok");
        ImGui::SetItemDefaultFocus();
        if (is_acknowledged || enter_pressed() || key_pressed(Key::escape))
            requests.ask(RunCommand{CommandId::error_dismiss});
    }
    ImGui::EndPopup();
}

std::size_t notable_entries(const ImportLog& log) {
    return static_cast<std::size_t>(
        std::ranges::count_if(log.entries(), [](const ImportEntry& entry) { return entry.severity >= Severity::notice; }));
}

void draw_import_log_banner(const Snapshot& snapshot, Requests& requests) {
    const std::size_t count = notable_entries(snapshot.log);
    const std::string cut_off = cut_off_sentence(snapshot);
    ImGui::PushStyleColor(ImGuiCol_ChildBg, palette().notice_panel);
    ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {scaled(10), scaled(3)});
    ImGui::BeginChild("import log banner", {0, ImGui::GetFrameHeight() + scaled(4)}, false, ImGuiWindowFlags_NoScrollbar);
    ImGui::SetCursorPos({scaled(10), scaled(2)});
    ImGui::PushStyleColor(ImGuiCol_Text, cut_off.empty() ? palette().notice : palette().danger);
    ImGui::PushStyleColor(ImGuiCol_Button, IM_COL32_BLACK_TRANS);
    const std::string label =
        fmt::format("{}{}", cut_off.empty() ? "" : fmt::format("The file is {}  ·  ", cut_off), counted(count, "file note"));
    if (ImGui::Button(label.c_str())) requests.ask(RunCommand{CommandId::log_show});
    report_rect("import_log");
    ImGui::SameLine(ImGui::GetWindowWidth() - scaled(40));
    if (ImGui::Button("×")) requests.ask(RunCommand{CommandId::log_dismiss});
    report_rect("import_log_dismiss");
    ImGui::PopStyleColor(2);
    ImGui::EndChild();
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor();
}

void draw_import_log_window(const ImportLog& log, bool& is_open) {
    if (!is_open) return;
    ImGui::SetNextWindowSize({scaled(680), scaled(320)}, ImGuiCond_Appearing);
    if (begin_floating_window("File notes", is_open)) {
        for (const ImportEntry& entry : log.entries()) {
            wrapped_text(severity_colour(entry.severity), severity_words(entry.severity));
            wrapped_text(palette().text, entry.message);
            if (const std::string place = entry_place(entry); !place.empty()) wrapped_text(palette().text_dim, place);
            ImGui::Spacing();
        }
    }
    ImGui::End();
}

namespace {

constexpr std::size_t k_shown_recent_files = 6;
/// The example program of docs/getting-started.md.
constexpr const char* k_recording =
    "import torch\n"
    "\n"
    "torch.cuda.memory._record_memory_history(max_entries=200_000)\n"
    "\n"
    "def dump(*_):\n"
    "    torch.cuda.memory._dump_snapshot(\"snapshot.pickle\")\n"
    "\n"
    "torch._C._cuda_attach_out_of_memory_observer(dump)   # if memory runs out\n"
    "train()\n"
    "dump()                                               # or at any other moment\n";

void gap(float height_px) { ImGui::Dummy({0, scaled(height_px)}); }

void draw_ways_to_open(bool has_sample, Requests& requests) {
    if (ImGui::Button("Open a snapshot…", {scaled(180), scaled(34)})) requests.ask(RunCommand{CommandId::file_open});
    report_rect("welcome_open");
    ImGui::SameLine();
    if (has_sample) {
        if (ImGui::Button("Try the sample", {scaled(130), scaled(34)})) requests.ask(RunCommand{CommandId::help_sample});
        report_rect("welcome_sample");
        ImGui::SameLine();
    }
    ImGui::AlignTextToFramePadding();
    const std::string keys = keys_of(CommandId::file_open);
    wrapped_text(palette().text_dim, keys + (k_has_address ? ", or drop a file on this page"
                                                           : ", or drop a file on this window,\nor run: snapviewer FILE"));
}

void draw_recent(const std::vector<std::string>& files, Requests& requests) {
    if (files.empty()) return;
    wrapped_text(palette().text_dim, "Recent");
    for (std::size_t i = 0; i < std::min(files.size(), k_shown_recent_files); ++i) {
        const std::filesystem::path path(users_path(files[i]));
        ImGui::PushID(static_cast<int>(i));
        const ImVec2 pos = ImGui::GetCursorScreenPos();
        if (ImGui::Selectable("##recent", false)) requests.ask(OpenFile{files[i]});
        report_rect("welcome_recent_" + std::to_string(i));
        if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        ImDrawList* list = ImGui::GetWindowDrawList();
        const std::string name = path.filename().string();
        list->AddText(pos, palette().accent, name.c_str());
        const float after = pos.x + ImGui::CalcTextSize(name.c_str()).x + scaled(16);
        list->AddText({after, pos.y}, palette().text_faint, path.parent_path().string().c_str());
        ImGui::PopID();
    }
    gap(20);
}

void draw_recording(float width, Requests& requests) {
    wrapped_text(palette().text_dim, "To record one in PyTorch");
    const ImVec2 padding(scaled(14), scaled(10));
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    push_font(fonts().code);
    const ImVec2 text_size = ImGui::CalcTextSize(k_recording);
    const ImVec2 size(width, text_size.y + 2 * padding.y);
    list->AddRectFilled(pos, {pos.x + size.x, pos.y + size.y}, palette().canvas, scaled(4));
    list->PushClipRect(pos, {pos.x + size.x, pos.y + size.y}, true);
    list->AddText({pos.x + padding.x, pos.y + padding.y}, palette().text, k_recording);
    list->PopClipRect();
    ImGui::PopFont();
    ImGui::Dummy(size);
    if (ImGui::Button("Copy")) requests.ask(CopyText{k_recording, "The program"});
    report_rect("welcome_copy");
}

}  // namespace

void draw_welcome_view(const std::vector<std::string>& recent_files, bool has_sample, ImFont* title_font,
                       Requests& requests) {
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float width = std::min(scaled(640), room.x - scaled(32));
    const float height = std::min(scaled(600), room.y - scaled(16));
    const ImVec2 corner = ImGui::GetCursorPos();
    ImGui::SetCursorPos({corner.x + (room.x - width) / 2, corner.y + std::max(scaled(8), (room.y - height) * 0.4F)});
    ImGui::BeginChild("welcome", {width, height});
    push_font(title_font);
    ImGui::TextUnformatted("snapviewer");
    ImGui::PopFont();
    wrapped_text(palette().text_dim, "Where did the GPU memory go?");
    gap(16);
    draw_ways_to_open(has_sample, requests);
    gap(20);
    draw_recent(recent_files, requests);
    draw_recording(width, requests);
    ImGui::EndChild();
}

void draw_nothing_to_draw(bool has_query_pane, Requests& requests) {
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float width = std::min(scaled(520), room.x - scaled(32));
    const ImVec2 corner = ImGui::GetCursorPos();
    ImGui::SetCursorPos({corner.x + (room.x - width) / 2, corner.y + std::max(scaled(8), room.y * 0.35F)});
    ImGui::BeginChild("nothing to draw", {width, std::max(scaled(60), room.y * 0.6F)});
    ImGui::TextUnformatted("There is no picture in this file");
    gap(4);
    wrapped_text(palette().text_dim,
                 "The file holds no memory events and no segments, only tables, which you can query. Press Tables in the "
                 "query pane to list them.");
    if (!has_query_pane) {
        gap(8);
        if (ImGui::Button("Show the query pane")) requests.ask(RunCommand{CommandId::view_query});
        report_rect("nothing_query");
    }
    ImGui::EndChild();
}

namespace {

constexpr std::size_t k_max_compared = 2;

}  // namespace

std::string absolute_path(const std::string& path) {
    if (is_remote(path)) return path;
    std::error_code failed;
    const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
    if (failed) return path;
    const std::filesystem::path normal = absolute.lexically_normal();
    return (normal.has_filename() ? normal : normal.parent_path()).string();
}

void FileOpener::begin(const std::string& path, Job<OpenedFile>::Work work) {
    if (job_.is_busy()) remote::end_fetches(path_);
    session_.failed.reset();
    session_.notice.clear();
    need_characters(path);
    path_ = path;
    other_.clear();
    given_ = {path};
    // The download starts here, because the worker runs in a sandbox and cannot start ssh.
    const Status fetched = is_remote_folder(path) ? Status() : remote::start_fetch(path, ChildProgram::Terminal::none);
    if (fetched)
        job_.start(std::move(work));
    else
        session_.failed = FailedFile{path, fetched.error()};
}

void FileOpener::open(const std::string& path, const std::string& with, std::uint32_t part) {
    begin(absolute_path(path), make_opening_job(absolute_path(path),
                                                {.with = with.empty() ? "" : absolute_path(with),
                                                 .or_single = true,
                                                 .kind_rules = remembered_rules(session_),
                                                 .part = part},
                                                session_.document));
}

void FileOpener::open(const std::vector<std::string>& paths, std::uint32_t part) {
    if (paths.empty()) return;
    for (std::size_t i = paths.size(); i-- > 1;) remember_file(session_.preferences, absolute_path(paths[i]));
    if (paths.size() > k_max_compared) {
        begin(absolute_path(paths.front()), make_fleet_opening_job(absolute_path(paths.front())));
    } else {
        open(paths.front(), paths.size() == 2 ? paths.back() : "", part);
        if (paths.size() == 2) other_ = absolute_path(paths.back());
    }
    for (std::size_t i = 1; i < paths.size(); ++i) given_.push_back(absolute_path(paths[i]));
    if (paths.size() == 2) session_.notice = "Opened the first of 2 files; the other one is under File > Open recent";
}

void FileOpener::reload() {
    if (!can_be_reloaded(session_)) return;
    watch_.tell(&ChangeDetector::accept);
    open(session_.document->path, session_.document->with, session_.document->part);
}

void FileOpener::cancel() {
    if (!job_.is_busy()) return;
    job_.discard();
    remote::end_fetches(path_);
    session_.toasts.say("Stopped opening " + display_name(path_));
}

std::optional<OpenedFile> FileOpener::take() {
    std::optional<OpenedFile> opened = job_.take();
    if (!opened) return std::nullopt;
    if (opened->is_fleet) {
        remember_file(session_.preferences, opened->path);
        session_.notice.clear();
        other_.clear();
        return opened;
    }
    if (opened->document) {
        remember_file(session_.preferences, opened->path);
        if (!opened->document.value()->with.empty()) {
            session_.toasts.say("Both files are now open together");
            other_.clear();
        }
        return opened;
    }
    const Error& error = opened->document.error();
    if (error.code == ErrorCode::memory && open_with_more_memory(opened->path)) return std::nullopt;
    session_.failed = FailedFile{opened->path, error};
    return std::nullopt;
}

void FileOpener::draw_import_log() {
    if (session_.document) draw_import_log_window(session_.document->snapshot->log, session_.import_log.is_open);
}

void FileOpener::update() {
    session_.on_disk = on_disk();
    warm_up_canvas();
}

/// Prepares the canvas while a file is read. In a browser, a page is open before its user chooses a file, so the canvas is
/// prepared then. In both cases a frame is drawn first, because this takes long.
void FileOpener::warm_up_canvas() {
    bool& was_drawn = job_.is_busy() ? has_told_ : was_shown_;
    if (!job_.is_busy()) has_told_ = false;
    if (std::exchange(was_drawn, true) && (job_.is_busy() || !k_may_sleep)) pictures_.canvas().warm_up();
}

void FileOpener::draw_progress(const Area& work, Requests& requests) {
    const bool is_slow = job_.is_busy() && job_.elapsed_ms() > k_quiet_load_ms;
    draw_progress_dialog({path_,
                          is_slow ? &job_.progress() : nullptr,
                          session_.document != nullptr,
                          {work.pos, {work.pos.x + work.size.x, work.pos.y + work.size.y}}},
                         requests);
    session_.is_covered_by_load = is_slow;
}

void FileOpener::draw_build_and_error(Requests& requests) {
    const Job<BuiltView>& building = pictures_.building();
    const bool is_slow = building.is_busy() && building.elapsed_ms() > k_quiet_load_ms;
    draw_build_dialog(is_slow ? view_kind_names()[static_cast<std::size_t>(pictures_.building_kind())] : "",
                      is_slow ? &building.progress() : nullptr, requests);
    draw_error_dialog(session_.failed, requests);
}

namespace {

struct Offer {
    std::string text;
    const char* yes;
    const char* no;
    const char* yes_rect;
    const char* no_rect;
};

enum class Answer { none, yes, no };

Answer draw_offer(const Offer& offer) {
    Answer answer = Answer::none;
    const auto button = [&](const char* label, const char* rect, Answer meaning, float gap) {
        ImGui::SameLine(0, scaled(gap));
        if (ImGui::Button(label)) answer = meaning;
        report_rect(rect);
    };
    ImGui::PushStyleColor(ImGuiCol_ChildBg, palette().notice_panel);
    ImGui::BeginChild(offer.yes_rect, {0, ImGui::GetFrameHeight() + scaled(8)}, false,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::SetCursorPos({scaled(10), scaled(4)});
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(offer.text.c_str());
    button(offer.yes, offer.yes_rect, Answer::yes, 12);
    button(offer.no, offer.no_rect, Answer::no, 6);
    ImGui::EndChild();
    ImGui::PopStyleColor();
    return answer;
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

}  // namespace

void draw_pair_banner(const std::string& other_path, Requests& requests) {
    // The name includes the folder, because the profiles of all ranks have the same file name, each in its own folder.
    const std::filesystem::path path(users_path(other_path));
    const std::string name = (path.parent_path().filename() / path.filename()).string();
    const std::string text = name + " was open before. The two files can be shown together.";
    switch (draw_offer({text, "Open together", "Not now", "pair_draw", "pair_dismiss"})) {
        case Answer::none: break;
        case Answer::yes: requests.ask(OpenWith{other_path}); break;
        case Answer::no: requests.ask(RunCommand{CommandId::pair_dismiss}); break;
    }
}

void draw_reload_banner(const std::string& path, Requests& requests) {
    const std::string text = file_name(path) + " has changed on disk since it was opened.";
    switch (draw_offer({text, "Reload", "Dismiss", "reload", "reload_dismiss"})) {
        case Answer::none: break;
        case Answer::yes: requests.ask(RunCommand{CommandId::file_reload}); break;
        case Answer::no: requests.ask(RunCommand{CommandId::reload_dismiss}); break;
    }
}

}  // namespace snapviewer
