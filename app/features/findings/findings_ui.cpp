#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "app/features/answers/device_answers.h"
#include "app/features/findings/findings.h"
#include "app/features/requests.h"
#include "app/features/timeline/allocation_text.h"
#include "app/ui/drawn_text.h"
#include "app/ui/fonts.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/base/text.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer::findings {
namespace {

std::string part_text(const CapacityPart& part, std::uint64_t total) {
    return fmt::format("{}, {:.1f} %", format_bytes(part.bytes),
                       100 * static_cast<double>(part.bytes) / static_cast<double>(total));
}

/// Draws a stacked bar of `parts`. `whole_bytes` corresponds to the available width. A tooltip names the part under the
/// mouse. The bar is observed as `id`.
void draw_capacity_bar(const char* id, const std::vector<CapacityPart>& parts, std::uint64_t whole_bytes) {
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const ImVec2 size(ImGui::GetContentRegionAvail().x, scaled(16));
    ImGui::Dummy(size);
    observe_item(id);
    ImDrawList* list = ImGui::GetWindowDrawList();
    double before = 0;
    for (const CapacityPart& part : parts) {
        const auto at = [&](double bytes) {
            return pos.x + static_cast<float>(bytes / static_cast<double>(whole_bytes)) * size.x;
        };
        const ImVec2 min(at(before), pos.y);
        before += static_cast<double>(part.bytes);
        const ImVec2 max(std::max(at(before), min.x + 1), pos.y + size.y);
        list->AddRectFilled(min, max, part.colour);
        if (part.is_striped) draw_stripes(list, min, max, k_stripe_ink);
        if (is_mouse_at({min, max}))
            tooltip_beside({min, max}, fmt::format("{}: {}", part.name, format_bytes_exactly(part.bytes)));
    }
}

/// Draws a row with a name at the left and an amount at the right.
void draw_amount_row(const std::string& name, const std::string& amount, float indent, ImU32 name_colour,
                     ImFont* name_font = fonts().ui) {
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const float right = pos.x + ImGui::GetContentRegionAvail().x;
    ImGui::Dummy({right - pos.x, ImGui::GetTextLineHeight()});
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float amount_left = right - ImGui::CalcTextSize(amount.c_str()).x;
    push_font(name_font);
    const float room = amount_left - scaled(8) - pos.x - indent;
    list->AddText({pos.x + indent, pos.y}, name_colour, cut_in_middle(name, room).c_str());
    ImGui::PopFont();
    list->AddText({amount_left, pos.y}, palette().text_dim, amount.c_str());
}

void draw_names(const std::vector<CapacityPart>& parts, std::uint64_t total) {
    for (const CapacityPart& part : parts) {
        const ImVec2 pos = ImGui::GetCursorScreenPos();
        const float side = scaled(10);
        const ImVec2 min(pos.x, pos.y + (ImGui::GetTextLineHeight() - side) / 2);
        const ImVec2 max(min.x + side, min.y + side);
        ImGui::GetWindowDrawList()->AddRectFilled(min, max, part.colour, scaled(2));
        if (part.is_striped) draw_stripes(ImGui::GetWindowDrawList(), min, max, k_stripe_ink);
        draw_amount_row(part.name, part_text(part, total), scaled(16), palette().text);
    }
}

/// Draws a stacked bar of `parts`, and below it a line for each part and for the total. No-op if `parts` is empty.
void draw_capacity_parts(const std::vector<CapacityPart>& parts) {
    std::uint64_t total = 0;
    for (const CapacityPart& part : parts) total += part.bytes;
    if (total == 0) return;
    draw_capacity_bar("oom_bar", parts, total);
    draw_names(parts, total);
    draw_amount_row("total", format_bytes(total), scaled(16), palette().text_dim);
}

constexpr ImU32 k_allocated = IM_COL32(0x4c, 0x8f, 0xd6, 0xff);
constexpr ImU32 k_pending = IM_COL32(0x7d, 0x6b, 0xb8, 0xff);
constexpr ImU32 k_idle_default = IM_COL32(0xd0, 0x9a, 0x45, 0xff);
constexpr ImU32 k_idle_private = IM_COL32(0xb8, 0x62, 0x4a, 0xff);
constexpr ImU32 k_free = IM_COL32(0x4f, 0xa5, 0x6b, 0xff);
constexpr ImU32 k_outside = IM_COL32(0x5c, 0x63, 0x70, 0xff);
constexpr ImU32 k_other_process = IM_COL32(0xc2, 0x4d, 0x6e, 0xff);
constexpr ImU32 k_driver = IM_COL32(0x8a, 0x8f, 0x98, 0xff);

ImU32 colour_of(oom::CardPart part) {
    switch (part) {
        case oom::CardPart::allocated: return k_allocated;
        case oom::CardPart::pending: return k_pending;
        case oom::CardPart::idle: return k_idle_default;
        case oom::CardPart::private_idle: return k_idle_private;
        case oom::CardPart::this_process: return k_outside;
        case oom::CardPart::other_processes: return k_other_process;
        case oom::CardPart::free: return k_free;
        case oom::CardPart::no_process:
        case oom::CardPart::unknown: return k_driver;
    }
    return k_driver;
}

void draw_notes(const oom::CardUse& use) {
    if (!use.where.empty()) draw_paragraph(palette().text_dim, "Told by " + use.where + ".");
    for (const std::string& note : use.notes) draw_paragraph(palette().text_dim, note);
}

void draw_holders(const std::vector<stacks::SourceBytes>& holders) {
    if (holders.empty()) return;
    ImGui::Spacing();
    dim_text("Held most");
    for (const stacks::SourceBytes& holder : holders) {
        draw_amount_row(holder.source, fmt::format("{} in {}", format_bytes(holder.bytes), format_count(holder.count)), 0,
                        palette().text, fonts().code);
        if (ImGui::IsItemHovered()) row_tooltip(fmt::format("{}\n{}", holder.source, format_bytes_exactly(holder.bytes)));
    }
}

/// Draws a bar of the memory of a whole card, with the names and explanations of its parts.
void draw_card(const char* headline, const oom::CardUse& use) {
    draw_paragraph(palette().text, headline);
    ImGui::Indent(scaled(10));
    draw_capacity_parts(capacity_parts(use));
    draw_notes(use);
    ImGui::Unindent(scaled(10));
    ImGui::Spacing();
}

/// Draws the card of an out-of-memory error: a bar of capacity_parts() with their names, and the source lines that held the
/// most memory.
void draw_oom_card(const oom::OomVerdict& verdict) {
    ImGui::Indent(scaled(10));
    draw_capacity_parts(capacity_parts(verdict));
    if (verdict.card) draw_notes(*verdict.card);
    draw_amount_row("requested by " + verdict.stack_source, format_bytes(verdict.demand), scaled(16), palette().danger);
    draw_holders(verdict.largest_sources);
    ImGui::Unindent(scaled(10));
    ImGui::Spacing();
}

constexpr std::size_t k_max_pools_shown = 12;

std::string maker_text(const space::PoolUse& use) {
    if (use.made_by.empty()) return "No stack tells who made it.";
    return "Made by " + use.made_by +
           (use.captured_by.empty() || use.captured_by == use.made_by ? "" : ", captured by " + use.captured_by);
}

std::string tooltip_text(const space::PoolUse& use, bool peak_is_end) {
    std::string text = fmt::format("Pool {}\n{}\nAt the end {}, of it {} idle", use.pool, maker_text(use),
                                   format_bytes_exactly(use.at_end.reserved), format_bytes_exactly(use.at_end.idle));
    if (use.at_peak && !peak_is_end)
        text += fmt::format("\nAt the peak {}, of it {} idle", format_bytes_exactly(use.at_peak->reserved),
                            format_bytes_exactly(use.at_peak->idle));
    return text;
}

/// Draws a bar for each of pools_to_show(), in proportion to the largest, with the source line that created the pool. The
/// tooltip contains the peak only if the recording shows one.
void draw_pools_card(const std::vector<space::PoolUse>& uses, const Timeline& timeline) {
    const std::vector<const space::PoolUse*> shown = pools_to_show(uses);
    if (shown.empty()) return;
    ImGui::Indent(scaled(10));
    for (const space::PoolUse* use : shown) {
        const std::string amount =
            fmt::format("{} of {} idle", format_bytes(use->at_end.idle), format_bytes(use->at_end.reserved));
        const std::string& maker = use->captured_by.empty() ? use->made_by : use->captured_by;
        draw_amount_row(use->pool + (maker.empty() ? "" : "  " + maker), amount, 0, palette().text);
        if (ImGui::IsItemHovered()) row_tooltip(tooltip_text(*use, known_peak(timeline).is_at_end));
        draw_capacity_bar(fmt::format("pool_bar_{}", use->pool).c_str(), pool_parts(*use), shown.front()->at_end.reserved);
    }
    ImGui::Unindent(scaled(10));
    ImGui::Spacing();
}

/// Maximum number of rows. A program that catches out-of-memory errors and retries can have thousands of findings.
constexpr std::size_t k_max_rows = 100;

ImU32 severity_colour(FindingSeverity severity) {
    switch (severity) {
        case FindingSeverity::error: return palette().danger;
        case FindingSeverity::warning: return palette().notice;
        case FindingSeverity::notice: return palette().accent;
        case FindingSeverity::info: return palette().text_faint;
    }
    return palette().text_faint;
}

void draw_work(const FindingsState& state, Requests& requests) {
    draw_paragraph(palette().text, "Analysing the file");
    draw_paragraph(palette().text_dim, state.work.status);
    ImGui::ProgressBar(state.work.fraction, {-1, scaled(6)}, "");
    observe_item("findings_progress");
    ImGui::Spacing();
    command_button("Stop", CommandId::findings_stop, requests);
}

bool is_wrong(const DeviceFinding& finding) { return finding.severity != FindingSeverity::info; }

std::string headline(const std::vector<DeviceFinding>& findings, RecordingState recording) {
    if (findings.empty()) return "Nothing was found, because nothing was allocated.";
    const auto wrong = std::ranges::count_if(findings, is_wrong);
    if (wrong == 0 && recording == RecordingState::cut_off)
        return "No problems were found before the file is cut off. What the memory was used for until then:";
    if (wrong == 0) return "No problems were found. What the memory was used for:";
    return fmt::format("{} worth acting on, most pressing first", counted(static_cast<std::uint64_t>(wrong), "finding"));
}

/// Positions and texts of a row of the findings page.
struct FindingRow {
    ImVec2 pos;
    float text_width = 0;
    std::string sentence, hint;  ///< texts of the row, with line breaks
    float right = 0;             ///< right edge of the amount and the button
    float hint_top = 0;
    float height = 0;
};

/// Computes the layout of a row of the findings page. `room_px` is the width of everything to the right of the sentence.
FindingRow lay_out(const std::string& sentence, const std::string& hint, float room_px) {
    FindingRow row;
    row.pos = ImGui::GetCursorScreenPos();
    row.right = row.pos.x + ImGui::GetContentRegionAvail().x;
    row.text_width = std::max(scaled(80), ImGui::GetContentRegionAvail().x - scaled(10) - room_px);
    const float gap = scaled(2);
    row.sentence = text_in_lines(sentence, row.text_width);
    row.hint = text_in_lines(hint, row.right - row.pos.x - scaled(10));
    row.hint_top = ImGui::GetTextLineHeight() + gap + ImGui::CalcTextSize(row.sentence.c_str()).y;
    row.height = row.hint_top;
    if (!row.hint.empty()) row.height += gap + ImGui::CalcTextSize(row.hint.c_str()).y;
    row.height = std::max(row.height, 2 * ImGui::GetTextLineHeightWithSpacing());
    return row;
}

/// Draws the texts of a row of the findings page: headline, sentence and hint.
void draw_texts(const FindingRow& row, ImU32 colour, const char* headline) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(row.pos, {row.pos.x + scaled(3), row.pos.y + row.height}, colour);
    const float left = row.pos.x + scaled(10);
    list->AddText({left, row.pos.y}, colour, headline);
    list->AddText({left, row.pos.y + ImGui::GetTextLineHeight() + scaled(2)}, palette().text, row.sentence.c_str());
    if (row.hint.empty()) return;
    list->AddText({left, row.pos.y + row.hint_top + scaled(2)}, palette().text_dim, row.hint.c_str());
}

void draw_amount(const DeviceFinding& finding, const FindingRow& row) {
    if (finding.bytes == 0) return;
    const std::string amount = format_bytes(finding.bytes);
    const ImVec2 pos(row.right - ImGui::CalcTextSize(amount.c_str()).x, row.pos.y);
    const ImVec2 end(row.right, pos.y + ImGui::GetTextLineHeight());
    ImGui::GetWindowDrawList()->AddText(pos, palette().text, amount.c_str());
    if (is_mouse_at({pos, end})) tooltip_beside({pos, end}, format_bytes_exactly(finding.bytes));
}

ImU32 recording_colour(RecordingState state) {
    switch (state) {
        case RecordingState::cut_off: return palette().danger;
        case RecordingState::ring_buffer_full:
        case RecordingState::no_history: return palette().notice;
        case RecordingState::starts_mid_run: return palette().accent;
        case RecordingState::complete:
        case RecordingState::unknown: return palette().text_faint;
    }
    return palette().text_faint;
}

/// Draws the card that says whether the recording is complete. A click copies the call that would have recorded the missing
/// part.
void draw_recording(const RecordingFacts& facts, Requests& requests) {
    const FindingRow row =
        lay_out(recording_sentence(facts), facts.next_time.empty() ? "" : "Next time: " + facts.next_time, 0);
    if (ImGui::Selectable("##recording", false, 0, {row.text_width + scaled(10), row.height}) && !facts.next_time.empty())
        requests.ask(CopyText{facts.next_time, "The call"});
    observe_item("recording_card");
    if (!facts.next_time.empty() && ImGui::IsItemHovered()) item_tooltip("Click to copy the call");
    draw_texts(row, recording_colour(facts.state), fmt::format("this file: {}", recording_state_words(facts.state)).c_str());
    ImGui::SetCursorScreenPos({row.pos.x, row.pos.y + row.height + scaled(6)});
    ImGui::Dummy({0, scaled(2)});
}

void draw_sql_button(const DeviceFinding& finding, std::size_t index, const FindingRow& row, Requests& requests) {
    if (finding.sql.empty()) return;
    constexpr const char* k_words = "as SQL";
    const float width = ImGui::CalcTextSize(k_words).x + 2 * ImGui::GetStyle().FramePadding.x;
    ImGui::SetCursorScreenPos({row.right - width, row.pos.y + ImGui::GetTextLineHeight() + scaled(4)});
    if (observed(ImGui::SmallButton(k_words), fmt::format("finding_sql_{}", index)))
        requests.ask(PutQuery{finding.sql, finding.sql.size(), finding.sql.size(), true});
    if (ImGui::IsItemHovered()) item_tooltip("The query that returns these bytes");
}

/// Draws the memory of the whole card, unless an out-of-memory finding already shows it.
void draw_cards(const FindingsState& state) {
    if (state.read_from_error) draw_card("All memory of the card, by the error", *state.read_from_error);
    for (const oom::CardUse& use : *state.answers->card_uses) {
        if (!use.is_of_oom) draw_card("All memory of the card", use);
    }
}

std::vector<CapacityPart> without_empty(std::vector<CapacityPart> parts) {
    std::erase_if(parts, [](const CapacityPart& part) { return part.bytes == 0; });
    return parts;
}

}  // namespace

std::vector<CapacityPart> capacity_parts(const oom::CardUse& use) {
    std::vector<CapacityPart> parts;
    for (const oom::CardRow& row : use.rows) {
        const bool is_striped = row.part == oom::CardPart::pending || row.part == oom::CardPart::unknown;
        parts.push_back({row.words, row.bytes, colour_of(row.part), is_striped});
    }
    return parts;
}

std::vector<CapacityPart> capacity_parts(const oom::OomVerdict& verdict) {
    if (verdict.card) return capacity_parts(*verdict.card);
    const auto outside = static_cast<std::uint64_t>(std::max<std::int64_t>(0, verdict.outside.value_or(0)));
    return without_empty({
        {"allocated", verdict.allocated, k_allocated},
        {"freed, waiting for another stream", verdict.pending, k_pending, true},
        {"idle in the default pool", verdict.idle_default, k_idle_default},
        {"idle in private pools", verdict.idle_private, k_idle_private},
        {"free on the device", verdict.device_free.value_or(0), k_free},
        {verdict.outside_is_bound ? "outside PyTorch, at least" : "outside PyTorch", outside, k_outside},
    });
}

std::vector<const space::PoolUse*> pools_to_show(const std::vector<space::PoolUse>& uses) {
    std::vector<const space::PoolUse*> shown;
    for (const space::PoolUse& use : uses) {
        if (use.is_private && use.at_end.reserved > 0) shown.push_back(&use);
    }
    std::ranges::stable_sort(shown, std::ranges::greater(), [](const space::PoolUse* use) { return use->at_end.reserved; });
    shown.resize(std::min(shown.size(), k_max_pools_shown));
    return shown;
}

std::vector<CapacityPart> pool_parts(const space::PoolUse& use) {
    return without_empty({{"used", use.at_end.used(), k_allocated}, {"idle", use.at_end.idle, k_idle_private}});
}

bool draw_until_ready(const FindingsState& state, Requests& requests) {
    if (!state.not_told.empty()) {
        draw_paragraph(palette().notice, state.not_told);
        ImGui::Spacing();
    }
    if (state.work.is_running()) {
        draw_work(state, requests);
    } else if (state.work.is_stopped) {
        draw_paragraph(palette().text_dim, "Analysis stopped.");
        command_button("Go on", CommandId::findings_restart, requests);
    } else if (!state.work.error.empty()) {
        draw_paragraph(palette().text, "The analysis failed: this file " + state.work.error + ".");
        command_button("Try again", CommandId::findings_restart, requests);
    } else if (!state.is_ready()) {
        draw_paragraph(palette().text_dim, "The analysis starts once the picture is drawn.");
    }
    return state.is_ready();
}

void Answers::draw_finding(std::size_t index, Requests& requests) {
    const answers::DeviceAnswers& answers = *state_.answers;
    const DeviceFinding& finding = (*answers.findings)[index];
    const FindingRow row = lay_out(finding.sentence, finding.hint, scaled(84));
    ImGui::PushID(static_cast<int>(index));
    if (observed(ImGui::Selectable("##finding", state_.chosen == index, 0, {row.text_width + scaled(10), row.height}),
                 fmt::format("finding_{}", index)))
        requests.later(fmt::format("go to finding {}", index), [this, index] { go_to(index); });
    draw_texts(row, severity_colour(finding.severity), finding_severity_name(finding.severity));
    draw_amount(finding, row);
    draw_sql_button(finding, index, row, requests);
    ImGui::SetCursorScreenPos({row.pos.x, row.pos.y + row.height + scaled(6)});
    if (const oom::OomVerdict* verdict = answers.verdict_of(finding)) draw_oom_card(*verdict);
    if (finding.code == "private_pool_idle") draw_pools_card(*answers.pool_uses, answers.analyses().timeline());
    ImGui::Dummy({0, scaled(2)});
    ImGui::PopID();
}

/// Fills the rest of the current window with the findings of a device, the most severe first, and a card for each
/// out-of-memory error. A click on a row navigates to its place; a button puts its query into the query pane.
void Answers::draw(Requests& requests) {
    ImGui::BeginChild("findings body");
    if (draw_until_ready(state_, requests)) {
        const std::vector<DeviceFinding>& findings = *state_.answers->findings;
        const RecordingFacts& recording = state_.answers->recording;
        draw_recording(recording, requests);
        draw_cards(state_);
        draw_paragraph(palette().text_dim, headline(findings, recording.state));
        ImGui::Spacing();
        const std::size_t shown = std::min(findings.size(), k_max_rows);
        for (std::size_t i = 0; i < shown; ++i) draw_finding(i, requests);
        if (shown < findings.size())
            draw_paragraph(palette().text_dim, fmt::format("{} more are in the table findings, in the query pane.",
                                                           format_count(findings.size() - shown)));
    }
    ImGui::EndChild();
}

void Answers::connect_clipboard(Switchboard& board) {
    board.commands.on(CommandId::tools_read_error,
                      {.is_possible = [this](const Session& session) { return has_picture(session) && state_.is_ready(); },
                       .doc = [](const Session&) { return "Who used the card, as PyTorch's error tells"; },
                       .run =
                           [this] {
                               const char* text = ImGui::GetClipboardText();
                               read_error(text == nullptr ? "" : text);
                           }});
}

}  // namespace snapviewer::findings
