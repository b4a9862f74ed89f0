#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/features/compare/compare.h"
#include "app/ui/data_table.h"
#include "app/ui/drawn_text.h"
#include "app/ui/fonts.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/base/text.h"

namespace snapviewer::compare {
namespace {

constexpr float k_min_rows = 7;
constexpr float k_min_width_of_counts_px = 700;

/// The columns of the comparison table. In a narrow table, source lines need the room, and the counts appear only in the
/// tooltip.
std::vector<TableColumn> compared_row_columns(float width_px) {
    std::vector<TableColumn> columns;
    for (const ComparedColumnInfo& info : compared_columns()) columns.push_back(info.header);
    for (const ComparedColumn count : {ComparedColumn::count_a, ComparedColumn::count_b})
        columns[static_cast<std::size_t>(count)].has_no_room = width_px < scaled(k_min_width_of_counts_px);
    return columns;
}

void follow_compare_sorting(CompareState& state, DataTable& table) {
    table.take_sorting(state.order.by, state.order.is_descending);
    if (state.arranged == state.shown.get() && state.arranged_by == state.order) return;
    state.places = arrange(state.shown->comparison.peaks, state.order);
    state.arranged = state.shown.get();
    state.arranged_by = state.order;
}

ImU32 difference_colour(std::int64_t bytes) {
    return bytes > 0 ? palette().danger : bytes < 0 ? palette().accent : palette().text_dim;
}

ImU32 cell_colour(ComparedColumn column, const PeakComparison::Row& row) {
    if (column == ComparedColumn::bytes_a || column == ComparedColumn::bytes_b) return palette().text;
    return column == ComparedColumn::delta ? difference_colour(row.delta_bytes()) : palette().text_dim;
}

std::string row_facts(const PeakComparison::Row& row) {
    return fmt::format("{}\nA: {} in {}\nB: {} in {}\nClick to light up all that both allocated there",
                       row.source.substr(0, 1000), format_bytes_exactly(row.bytes_a), format_count(row.count_a),
                       format_bytes_exactly(row.bytes_b), format_count(row.count_b));
}

void draw_compare_row(const DataTable& table, CompareRuns& runs, std::size_t index, Requests& requests) {
    const CompareState& state = runs.state();
    const ComparedPlace& place = state.places[index];
    const PeakComparison::Row& row = rows_of(state.shown->comparison.peaks, place.box)[place.row];
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(row.key.c_str());
    const float width = ImGui::GetContentRegionAvail().x;
    push_font(fonts().code);
    const std::string shown = cut_in_middle(row.source, width);
    ImGui::PopFont();
    if (table.select(index, row.key == state.chosen_key))
        requests.later("go to compared " + row.key, [&runs, key = row.key] { runs.go_to(key); });
    if (ImGui::IsItemHovered()) row_tooltip(row_facts(row));
    ImGui::SameLine(0, 0);
    push_font(fonts().code);
    ImGui::TextUnformatted(shown.c_str());
    ImGui::PopFont();
    for (std::size_t i = 1; i < compared_columns().size(); ++i) {
        ImGui::TableNextColumn();
        right_text(compared_columns()[i].shown(row, place.box), cell_colour(static_cast<ComparedColumn>(i), row));
    }
    ImGui::PopID();
}

/// Height of the comparison table: as much as its rows need, at most the available room, and at least a few rows.
float table_height(const CompareState& state) {
    const float row = DataTable::row_height();
    const auto rows = static_cast<float>(state.places.size() + 2);
    const std::size_t settings = state.shown->comparison.settings.size();
    // Two lines for each warning, because a warning may be wrapped.
    const std::size_t limits = 2 * state.shown->limits.size();
    const float below = static_cast<float>((settings == 0 ? 2 : settings + 3) + limits) * row;
    const float room = std::max(ImGui::GetContentRegionAvail().y - below, k_min_rows * row);
    return std::min(std::max(rows, k_min_rows) * row, room);
}

/// Draws the rows of a comparison. A click on a header sorts, a click on a row requests to highlight its allocations.
/// Precondition: `runs` has a comparison. O(rows on the screen) per frame.
void draw_compare_table(CompareRuns& runs, Requests& requests) {
    CompareState& state = runs.state();
    const auto columns = compared_row_columns(ImGui::GetContentRegionAvail().x);
    DataTable table({.id = "compared rows",
                     .report = "compare",
                     .columns = columns,
                     .size = {0, table_height(state)},
                     .flags = ImGuiTableFlags_Resizable});
    if (!table) return;
    follow_compare_sorting(state, table);
    table.rows(state.places.size(), [&](std::size_t row) { draw_compare_row(table, runs, row, requests); });
}

constexpr std::array k_by_words = {"function and line of your code",
                                   "functions, ignoring lines",
                                   "whole stacks",
                                   "Python stacks",
                                   "kind of memory",
                                   "module of the model"};
constexpr std::array k_basis_words = {"everything alive at the peak", "what was allocated while recording",
                                      "the same, at its own peak"};

/// Short name of a compared file. Includes its folder if both files have the same name.
std::string short_name(const std::string& path, const std::string& other) {
    const std::filesystem::path file(path);
    if (file.filename() != std::filesystem::path(other).filename() || path == other) return file.filename().string();
    return (file.parent_path().filename() / file.filename()).string();
}

std::string device_words(const OpenDevice& device) {
    const Snapshot& snapshot = *device.document->snapshot;
    return snapshot.devices.size() > 1 ? fmt::format("device {}", snapshot.devices[device.index].device) : "";
}

void draw_device_choice(CompareState& state) {
    const Snapshot& snapshot = *state.other->snapshot;
    const auto words = [&](std::size_t i) { return fmt::format("device {}", snapshot.devices[i].device); };
    ImGui::SetNextItemWidth(scaled(110));
    if (!ImGui::BeginCombo("##device of B", words(state.device_b).c_str())) return observe_item("compare_device");
    for (std::size_t i = 0; i < snapshot.devices.size(); ++i) {
        if (observed(ImGui::Selectable(words(i).c_str(), i == state.device_b), fmt::format("compare_device_{}", i)))
            state.device_b = i;
    }
    ImGui::EndCombo();
}

/// Draws a row with the letter and the file name of A or B. `has_field` aligns the text with an input field in the same row.
void draw_side_name(const char* letter, ImU32 colour, const std::string& path, const std::string& other, bool has_field) {
    ImGui::TableNextColumn();
    if (has_field) ImGui::AlignTextToFramePadding();
    coloured_text(colour, letter);
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(cut_in_middle(short_name(path, other), ImGui::GetContentRegionAvail().x).c_str());
    if (ImGui::IsItemHovered()) item_tooltip(path);
    ImGui::TableNextColumn();
}

void draw_side_peak(const ComparedPeak* peak) {
    ImGui::TableNextColumn();
    if (peak == nullptr) return;
    ImGui::Text("%s %s", peak->label(), format_bytes(peak->bytes).c_str());
    if (ImGui::IsItemHovered()) item_tooltip(format_bytes_exactly(peak->bytes));
    ImGui::TableNextColumn();
    if (peak->reserved_bytes > 0) dim_text(format_bytes(peak->reserved_bytes) + " reserved at its end");
}

void draw_sides(CompareState& state, const std::string& file_a) {
    if (!ImGui::BeginTable("sides", 5, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings)) return;
    ImGui::TableSetupColumn("letter");
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch);
    for (const char* name : {"device", "peak", "reserved"}) ImGui::TableSetupColumn(name);
    const ShownComparison* shown = state.shown.get();
    ImGui::TableNextRow();
    draw_side_name("A", compared_colour(ComparedSide::a), file_a, state.path, false);
    if (shown != nullptr) ImGui::TextUnformatted(device_words(shown->input.a).c_str());
    draw_side_peak(shown == nullptr ? nullptr : &shown->comparison.a);
    ImGui::TableNextRow();
    const bool has_choice = state.other != nullptr && state.other->snapshot->devices.size() > 1;
    draw_side_name("B", compared_colour(ComparedSide::b), state.path, file_a, has_choice);
    if (has_choice) draw_device_choice(state);
    draw_side_peak(shown == nullptr ? nullptr : &shown->comparison.b);
    ImGui::EndTable();
}

/// Draws the sums of one box, such as "Only in A". A click filters the table to the rows of this box; a second click removes
/// the filter.
void draw_box(CompareRuns& runs, ComparedBox box, float width, Requests& requests) {
    CompareState& state = runs.state();
    const std::vector<PeakComparison::Row>& rows = rows_of(state.shown->comparison.peaks, box);
    const ComparedSums sums(rows);
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const float line = ImGui::GetTextLineHeight();
    const float pad = scaled(8);
    const ImVec2 end(pos.x + width, pos.y + 2 * line + scaled(4) + 2 * pad);
    const bool is_chosen = state.order.only == box;
    const char* name = compared_box_name(box);
    if (click_area(name, {end.x - pos.x, end.y - pos.y})) {
        state.order.only = is_chosen ? std::nullopt : std::optional(box);
        requests.later(std::string("show compared ") + (is_chosen ? "all" : name),
                       [&runs, only = state.order.only] { runs.show_box(only); });
    }
    observe_item(std::string("compare_box_") + name);
    const bool is_pointed_at = ImGui::IsItemHovered() || ImGui::IsItemFocused();
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(pos, end, is_chosen ? palette().accent_soft : palette().raised, scaled(4));
    if (is_pointed_at) list->AddRect(pos, end, palette().text_faint, scaled(4));
    const std::string difference = format_difference(sums.delta_bytes());
    const float difference_left = end.x - pad - ImGui::CalcTextSize(difference.c_str()).x;
    draw_cut_text(list, {pos.x + pad, pos.y + pad}, difference_left - scaled(6), palette().text, compared_box_words(box));
    list->AddText({difference_left, pos.y + pad}, difference_colour(sums.delta_bytes()), difference.c_str());
    draw_cut_text(list, {pos.x + pad, pos.y + pad + line + scaled(4)}, end.x - pad, palette().text_dim,
                  sums_words(rows.size(), sums, state.shown->comparison.by));
    if (ImGui::IsItemHovered())
        item_tooltip(fmt::format(
            "A {}, B {}\n{}", format_bytes_exactly(sums.bytes_a), format_bytes_exactly(sums.bytes_b),
            is_chosen ? "Click to list all rows again" : "Click to list only these and highlight them in both pictures"));
}

void draw_boxes(CompareRuns& runs, Requests& requests) {
    const float gap = scaled(8);
    const float width = (ImGui::GetContentRegionAvail().x - 2 * gap) / 3;
    for (const ComparedBox box : k_compared_boxes) {
        if (box != ComparedBox::only_a) ImGui::SameLine(0, gap);
        draw_box(runs, box, width, requests);
    }
}

template <typename Choice, std::size_t N>
void draw_choice(const char* label, const std::string& rect, const std::array<const char*, N>& words,
                 const std::vector<std::string>& names, Choice& chosen) {
    const auto index = static_cast<std::size_t>(chosen);
    float width = 0;
    for (const char* each : words) width = std::max(width, ImGui::CalcTextSize(each).x);
    ImGui::SetNextItemWidth(std::min(width + scaled(40), ImGui::GetContentRegionAvail().x));
    if (!ImGui::BeginCombo(label, words[index])) return observe_item(rect);
    for (std::size_t i = 0; i < N; ++i) {
        if (observed(ImGui::Selectable(words[i], i == index), rect + "_" + names[i])) chosen = static_cast<Choice>(i);
    }
    ImGui::EndCombo();
}

void draw_label(const char* text) {
    ImGui::AlignTextToFramePadding();
    dim_text(text);
    ImGui::SameLine(0, scaled(6));
}

void draw_choices(CompareState& state) {
    draw_label("By");
    draw_choice("##by", "compare_by", k_by_words, compare_by_names(), state.by);
    ImGui::SameLine(0, scaled(14));
    draw_label("of");
    draw_choice("##basis", "compare_basis", k_basis_words, compare_basis_names(), state.basis);
}

std::string setting_words(const std::string& json) { return json.empty() ? "not set" : json; }

void draw_differing_settings(const Comparison& comparison) {
    ImGui::Spacing();
    if (comparison.settings.empty()) return draw_paragraph(palette().text_faint, "All allocator settings are the same.");
    draw_paragraph(palette().text, "Settings that differ");
    if (!ImGui::BeginTable("differing settings", 3,
                           ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchSame | ImGuiTableFlags_NoSavedSettings))
        return;
    for (const char* name : {"setting", "A", "B"}) ImGui::TableSetupColumn(name);
    ImGui::TableHeadersRow();
    for (const SettingDifference& each : comparison.settings) {
        ImGui::TableNextRow();
        for (const std::string& text : {each.key, setting_words(each.a), setting_words(each.b)}) {
            ImGui::TableNextColumn();
            ImGui::TextUnformatted(cut_in_middle(text, ImGui::GetContentRegionAvail().x).c_str());
            if (ImGui::IsItemHovered()) row_tooltip(text.substr(0, 1000));
        }
    }
    ImGui::EndTable();
    observe_item("compare_settings");
}

void draw_comparison(CompareRuns& runs, Requests& requests) {
    CompareState& state = runs.state();
    const ShownComparison& shown = *state.shown;
    draw_paragraph(difference_colour(shown.comparison.delta_bytes()), peaks_sentence(shown.comparison));
    ImGui::Spacing();
    draw_boxes(runs, requests);
    ImGui::Spacing();
    draw_choices(state);
    draw_compare_table(runs, requests);
    for (const std::string& limit : shown.limits) draw_paragraph(palette().notice, limit);
    draw_differing_settings(shown.comparison);
}

/// Draws how B is aligned with A.
void draw_alignment(const ShownComparison& shown) {
    const std::string sentence = alignment_sentence(shown.alignment, *shown.steps_a, *shown.steps_b);
    coloured_text(palette().text_faint, cut_in_middle(sentence, ImGui::GetContentRegionAvail().x));
    if (ImGui::IsItemHovered()) item_tooltip(sentence);
}

/// Draws the footer of the comparison: the progress of the current work, or buttons for the possible actions.
void draw_compare_footer(const CompareState& state, Requests& requests) {
    ImGui::Separator();
    const auto button = [&](const char* words, const char* rect, CommandId command) {
        if (observed(ImGui::Button(words), rect)) requests.ask(RunCommand{command});
        ImGui::SameLine();
    };
    if (draw_long_work(state.work, CommandId::compare_stop, CommandId::compare_restart, requests)) return;
    button("Another file…", "compare_other", CommandId::file_compare);
    if (state.shown != nullptr) button("Copy as a command", "compare_copy", CommandId::compare_copy);
    draw_paragraph(palette().text_dim, state.work.is_stopped ? "Stopped" : "");
}

void draw_compare_body(CompareRuns& runs, const std::string& file_a, const std::function<void(float room_px)>& draw_pictures,
                       Requests& requests) {
    CompareState& state = runs.state();
    const float room = ImGui::GetContentRegionAvail().y;
    if (state.path.empty()) return draw_paragraph(palette().text_dim, "Choose a file to compare with the open one.");
    draw_sides(state, file_a);
    if (!state.work.error.empty())
        draw_paragraph(palette().danger, short_name(state.path, file_a) + " " + state.work.error + ".");
    if (state.shown == nullptr) return;
    draw_pictures(room);
    draw_alignment(*state.shown);
    ImGui::BeginChild("compared rows and settings");
    draw_comparison(runs, requests);
    ImGui::EndChild();
}

}  // namespace

std::uint32_t compared_colour(ComparedSide side) { return side == ComparedSide::a ? palette().accent : palette().notice; }

void CompareRuns::draw(const Area& area, const std::function<void(float room_px)>& draw_pictures, Requests& requests) {
    if (begin_docked_window("Compare: why one peak is higher", area, state_.is_open)) {
        const float footer_height = ImGui::GetFrameHeightWithSpacing() + scaled(6);
        ImGui::BeginChild("compare body", {0, -footer_height}, false,
                          ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
        draw_compare_body(*this, session_.document->path, draw_pictures, requests);
        ImGui::EndChild();
        draw_compare_footer(state_, requests);
    }
    ImGui::End();
}

}  // namespace snapviewer::compare
