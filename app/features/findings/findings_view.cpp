#include "app/features/findings/findings_view.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/features/answers/device_answers.h"
#include "app/features/findings/oom_card.h"
#include "app/features/findings/pools_card.h"
#include "app/features/timeline/allocation_text.h"
#include "app/ui/paragraph.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "core/base/number_text.h"

namespace snapviewer {
namespace {

/// Maximum number of rows. A program that catches out-of-memory errors and retries can have thousands of findings.
constexpr std::size_t k_most_rows = 100;

ImU32 severity_colour(FindingSeverity severity) {
    switch (severity) {
        case FindingSeverity::error: return palette().danger;
        case FindingSeverity::warning: return palette().notice;
        case FindingSeverity::notice: return palette().accent;
        case FindingSeverity::info: return palette().text_faint;
    }
    return palette().text_faint;
}

/// Draws a button that runs a command. Its rectangle in tests has the name of the command.
void draw_command_button(const char* words, const char* command, Requests& requests) {
    if (ImGui::Button(words)) requests.ask(RunCommand{command});
    report_rect(command);
}

void draw_work(const FindingsState& state, Requests& requests) {
    draw_paragraph(palette().text, "Analysing the file");
    draw_paragraph(palette().text_dim, state.work.status);
    ImGui::ProgressBar(state.work.fraction, {-1, scaled(6)}, "");
    report_rect("findings_progress");
    ImGui::Spacing();
    draw_command_button("Stop", "findings_stop", requests);
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
        case RecordingState::not_told: return palette().text_faint;
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
    report_rect("recording_card");
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
    if (ImGui::SmallButton(k_words)) requests.ask(PutQuery{finding.sql, finding.sql.size(), finding.sql.size(), true});
    report_rect(fmt::format("finding_sql_{}", index));
    if (ImGui::IsItemHovered()) item_tooltip("The query that returns these bytes");
}

void draw_finding(const DeviceAnswers& answers, std::size_t index, bool is_chosen, Requests& requests) {
    const DeviceFinding& finding = (*answers.findings)[index];
    const FindingRow row = lay_out(finding.sentence, finding.hint, scaled(84));
    ImGui::PushID(static_cast<int>(index));
    if (ImGui::Selectable("##finding", is_chosen, 0, {row.text_width + scaled(10), row.height}))
        requests.ask(GoToFinding{index});
    report_rect(fmt::format("finding_{}", index));
    draw_texts(row, severity_colour(finding.severity), finding_severity_name(finding.severity));
    draw_amount(finding, row);
    draw_sql_button(finding, index, row, requests);
    ImGui::SetCursorScreenPos({row.pos.x, row.pos.y + row.height + scaled(6)});
    if (const OomVerdict* verdict = answers.verdict_of(finding)) draw_oom_card(*verdict);
    if (finding.topic == FindingTopic::private_pool_idle) draw_pools_card(*answers.pool_uses, answers.analyses().timeline());
    ImGui::Dummy({0, scaled(2)});
    ImGui::PopID();
}

void draw_card(const char* headline, const CardUse& use) {
    draw_paragraph(palette().text, headline);
    draw_card_use(use);
}

/// Draws the memory of the whole card, unless an out-of-memory finding already shows it.
void draw_cards(const FindingsState& state) {
    if (state.read_from_error) draw_card("All memory of the card, by the error", *state.read_from_error);
    for (const CardUse& use : *state.answers->card_uses) {
        if (!use.is_of_oom) draw_card("All memory of the card", use);
    }
}

void draw_rows(const FindingsState& state, Requests& requests) {
    const std::vector<DeviceFinding>& findings = *state.answers->findings;
    draw_recording(state.answers->recording, requests);
    draw_cards(state);
    draw_paragraph(palette().text_dim, headline(findings, state.answers->recording.state));
    ImGui::Spacing();
    const std::size_t shown = std::min(findings.size(), k_most_rows);
    for (std::size_t i = 0; i < shown; ++i) draw_finding(*state.answers, i, state.chosen == i, requests);
    if (shown < findings.size())
        draw_paragraph(palette().text_dim, fmt::format("{} more are in the table findings, in the query pane.",
                                                       format_count(findings.size() - shown)));
}

}  // namespace

bool draw_until_ready(const FindingsState& state, Requests& requests) {
    if (!state.not_told.empty()) {
        draw_paragraph(palette().notice, state.not_told);
        ImGui::Spacing();
    }
    if (state.work.is_running()) {
        draw_work(state, requests);
    } else if (state.work.is_stopped) {
        draw_paragraph(palette().text_dim, "Analysis stopped.");
        draw_command_button("Go on", "findings_restart", requests);
    } else if (!state.work.error.empty()) {
        draw_paragraph(palette().text, "The analysis failed: this file " + state.work.error + ".");
        draw_command_button("Try again", "findings_restart", requests);
    } else if (!state.is_ready()) {
        draw_paragraph(palette().text_dim, "The analysis starts once the picture is drawn.");
    }
    return state.is_ready();
}

void draw_findings_view(const FindingsState& state, Requests& requests) {
    ImGui::BeginChild("findings body");
    if (draw_until_ready(state, requests)) draw_rows(state, requests);
    ImGui::EndChild();
}

}  // namespace snapviewer
