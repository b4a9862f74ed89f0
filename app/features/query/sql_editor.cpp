#include "app/features/query/sql_editor.h"

#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "app/ui/fonts.h"
#include "app/ui/imgui_keys.h"
#include "app/ui/theme.h"

namespace snapviewer {
namespace {

constexpr float k_caret_margin_em = 2;  // that stays in sight beyond the caret
constexpr double k_blink_s = 1.2;       // as ImGui's own
constexpr double k_blink_visible_s = 0.8;

float sql_px(std::string_view text) {
    const ImFont* font = ImGui::GetFont();
    return font->CalcTextSizeA(ImGui::GetFontSize(), FLT_MAX, 0, text.data(), text.data() + text.size()).x;
}

/// Where each line begins, in bytes.
std::vector<std::size_t> line_begins(std::string_view sql) {
    std::vector<std::size_t> begins = {0};
    for (std::size_t at = sql.find('\n'); at != sql.npos; at = sql.find('\n', at + 1)) begins.push_back(at + 1);
    return begins;
}

/// A text as it lies on the screen.
class SqlPage {
public:
    SqlPage(std::string_view sql, ImVec2 origin) : sql_(sql), begins_(line_begins(sql)), origin_(origin) {}

    std::size_t lines() const { return begins_.size(); }
    float line_px() const { return ImGui::GetFontSize(); }
    std::string_view line(std::size_t index) const {
        const std::size_t end = index + 1 < begins_.size() ? begins_[index + 1] - 1 : sql_.size();
        return sql_.substr(begins_[index], end - begins_[index]);
    }
    std::size_t begin_of(std::size_t line) const { return begins_[line]; }
    std::size_t line_at(std::size_t byte) const {
        return static_cast<std::size_t>(std::ranges::upper_bound(begins_, byte) - begins_.begin()) - 1;
    }
    /// The upper left corner of what stands at a byte.
    ImVec2 place(std::size_t byte) const {
        byte = std::min(byte, sql_.size());
        const std::size_t line = line_at(byte);
        return {origin_.x + sql_px(sql_.substr(begins_[line], byte - begins_[line])),
                origin_.y + static_cast<float>(line) * line_px()};
    }
    ImVec2 size() const {
        float widest = 0;
        for (std::size_t i = 0; i < lines(); ++i) widest = std::max(widest, sql_px(line(i)));
        return {widest, static_cast<float>(lines()) * line_px()};
    }

private:
    std::string_view sql_;
    std::vector<std::size_t> begins_;
    ImVec2 origin_;
};

std::size_t past_character(std::string_view sql, std::size_t at) {
    do ++at;
    while (at < sql.size() && (static_cast<unsigned char>(sql[at]) >> 6) == 2);
    return at;
}

/// One line piece by piece, each in its colour.
void draw_sql_line(ImDrawList* list, ImVec2 at, std::string_view sql, std::size_t begin, std::size_t end,
                   std::span<const SqlToken> tokens) {
    const auto put = [&](std::size_t to, ImU32 colour) {
        const std::string_view piece = sql.substr(begin, to - begin);
        if (piece.empty()) return;
        list->AddText(at, colour, piece.data(), piece.data() + piece.size());
        at.x += sql_px(piece);
        begin = to;
    };
    auto token = std::ranges::upper_bound(tokens, begin, {}, &SqlToken::end);
    for (; token != tokens.end() && token->begin < end; ++token) {
        put(std::max(begin, token->begin), palette().text);
        put(std::min(end, token->end), palette().code[static_cast<std::size_t>(token->kind)]);
    }
    put(end, palette().text);
}

void draw_sql_text(ImDrawList* list, const SqlPage& page, std::string_view sql, std::span<const SqlToken> tokens) {
    const float top = list->GetClipRectMin().y;
    const float bottom = list->GetClipRectMax().y;
    for (std::size_t i = 0; i < page.lines(); ++i) {
        const ImVec2 at = page.place(page.begin_of(i));
        if (at.y + page.line_px() < top) continue;
        if (at.y > bottom) break;
        draw_sql_line(list, at, sql, page.begin_of(i), page.begin_of(i) + page.line(i).size(), tokens);
    }
}

/// Where a line is broken so that it is no wider: behind a blank if there is one. At least one character is before it.
std::size_t broken_at(std::string_view sql, std::size_t begin, std::size_t end, float width_px) {
    const char* rest = nullptr;
    ImGui::GetFont()->CalcTextSizeA(ImGui::GetFontSize(), std::max(width_px, 1.0F), 0, sql.data() + begin, sql.data() + end,
                                    &rest);
    std::size_t fits = static_cast<std::size_t>(rest - sql.data());
    if (fits >= end) return end;
    if (fits == begin) return past_character(sql, begin);
    const std::size_t blank = sql.rfind(' ', fits);
    return blank != sql.npos && blank > begin ? std::min(blank + 1, end) : fits;
}

/// A line end that is selected is as wide as a blank.
void draw_sql_selection(ImDrawList* list, const SqlPage& page, std::size_t begin, std::size_t end) {
    for (std::size_t i = page.line_at(begin); i <= page.line_at(end); ++i) {
        const std::size_t line_begin = page.begin_of(i);
        const std::size_t line_end = line_begin + page.line(i).size();
        const ImVec2 from = page.place(std::max(begin, line_begin));
        const ImVec2 to = page.place(std::min(end, line_end));
        const float line_end_px = end > line_end ? sql_px(" ") : 0;
        list->AddRectFilled(from, {to.x + line_end_px, to.y + page.line_px()}, palette().accent_soft);
    }
}

/// A wave below the word at a byte.
void draw_error_mark(ImDrawList* list, const SqlPage& page, std::string_view sql, std::size_t at) {
    std::size_t end = at;
    while (end < sql.size() && is_sql_name_byte(sql[end])) ++end;
    const ImVec2 from = page.place(at);
    const float right = end > at ? page.place(end).x : from.x + sql_px(" ");
    const float step = scaled(3);
    const float y = from.y + page.line_px() - scaled(1);
    list->PathClear();
    for (int i = 0; from.x + static_cast<float>(i) * step < right + step; ++i)
        list->PathLineTo({from.x + static_cast<float>(i) * step, y + (i % 2 == 0 ? 0 : scaled(2))});
    list->PathStroke(palette().danger, ImDrawFlags_None, scaled(1.3F));
}

void draw_sql_caret(ImDrawList* list, const SqlEditorState& state, ImVec2 at, float line_px) {
    const double since_s = ImGui::GetTime() - state.moved_at_s;
    const bool is_lit = !ImGui::GetIO().ConfigInputTextCursorBlink || std::fmod(since_s, k_blink_s) < k_blink_visible_s;
    if (is_lit) list->AddRectFilled(at, {at.x + std::max(1.0F, scaled(1.5F)), at.y + line_px}, palette().text);
}

/// Scrolls no further than needed.
void keep_in_sight(ImVec2 caret, ImVec2 origin, ImVec2 room, float line_px) {
    const float margin = k_caret_margin_em * ImGui::GetFontSize();
    const float x = caret.x - origin.x;
    const float y = caret.y - origin.y;
    if (x - margin < ImGui::GetScrollX()) ImGui::SetScrollX(std::max(0.0F, x - margin));
    if (x + margin > ImGui::GetScrollX() + room.x) ImGui::SetScrollX(x + margin - room.x);
    if (y < ImGui::GetScrollY()) ImGui::SetScrollY(y);
    if (y + 2 * line_px > ImGui::GetScrollY() + room.y) ImGui::SetScrollY(y + 2 * line_px - room.y);
}

struct Following {
    SqlEditorState& state;
    const SqlEditorScene& scene;
};

int follow_editing(ImGuiInputTextCallbackData* data) {
    const Following& following = *static_cast<Following*>(data->UserData);
    following.scene.follow(*data);
    SqlEditorState& state = following.state;
    if (state.caret != data->CursorPos) state.moved_at_s = ImGui::GetTime();
    state.caret = data->CursorPos;
    state.selection_begin = std::min(data->SelectionStart, data->SelectionEnd);
    state.selection_end = std::max(data->SelectionStart, data->SelectionEnd);
    return 0;
}

/// ImGui's own input, of which nothing is seen: it could draw its text in one colour only.
bool edit_unseen(SqlEditorState& state, std::string& sql, const SqlEditorScene& scene, ImVec2 size) {
    for (const ImGuiCol slot : {ImGuiCol_Text, ImGuiCol_TextSelectedBg, ImGuiCol_FrameBg, ImGuiCol_Border})
        ImGui::PushStyleColor(slot, IM_COL32_BLACK_TRANS);
    // It would scroll within itself as well.
    const ImGuiInputTextFlags flags =
        scene.flags | ImGuiInputTextFlags_CallbackAlways | ImGuiInputTextFlags_NoHorizontalScroll;
    Following following{state, scene};
    const bool is_entered = ImGui::InputTextMultiline(scene.label, &sql, size, flags, follow_editing, &following);
    ImGui::PopStyleColor(4);
    return is_entered;
}

void colour_sql(SqlEditorState& state, const std::string& sql, std::span<const TableDoc> schema) {
    if (state.coloured == sql && state.known_tables == schema.size()) return;
    state.coloured = sql;
    state.known_tables = schema.size();
    state.tokens = sql_tokens(sql, schema);
}

}  // namespace

bool draw_sql_editor(SqlEditorState& state, std::string& sql, const SqlEditorScene& scene) {
    const CodeFont code;
    ImGui::PushStyleColor(ImGuiCol_ChildBg, palette().field);
    ImGui::BeginChild("editor", scene.size, false, ImGuiWindowFlags_HorizontalScrollbar);
    ImGui::PopStyleColor();
    const ImVec2 pad = ImGui::GetStyle().FramePadding;
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const ImVec2 origin(ImGui::GetCursorScreenPos().x + pad.x, ImGui::GetCursorScreenPos().y + pad.y);
    const ImVec2 extent = SqlPage(sql, origin).size();
    const ImVec2 size(std::max(room.x, extent.x + 2 * pad.x + k_caret_margin_em * ImGui::GetFontSize()),
                      std::max(room.y, extent.y + 2 * pad.y + scaled(2)));
    if (scene.takes_keyboard) focus_next_input(scene.label);
    const int caret_before = state.caret;
    const std::size_t size_before = sql.size();
    const bool is_entered = edit_unseen(state, sql, scene, size);
    state.is_active = ImGui::IsItemActive();

    colour_sql(state, sql, scene.schema);
    const SqlPage page(sql, origin);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto byte = [&](int at) { return std::min(static_cast<std::size_t>(std::max(at, 0)), sql.size()); };
    if (state.is_active && state.selection_begin < state.selection_end)
        draw_sql_selection(list, page, byte(state.selection_begin), byte(state.selection_end));
    draw_sql_text(list, page, sql, state.tokens);
    if (scene.error_at) draw_error_mark(list, page, sql, std::min(*scene.error_at, sql.size()));
    if (sql.empty()) list->AddText(origin, palette().text_faint, scene.hint);
    if (state.is_active) {
        const ImVec2 caret = page.place(byte(state.caret));
        draw_sql_caret(list, state, caret, page.line_px());
        if (state.caret != caret_before || sql.size() != size_before) keep_in_sight(caret, origin, room, page.line_px());
    }
    ImGui::EndChild();
    return is_entered;
}

bool draw_sql_lines(ImDrawList* list, ImVec2 min, ImVec2 max, std::string_view sql, std::size_t from,
                    std::span<const SqlToken> tokens) {
    const float line_px = ImGui::GetFontSize();
    std::size_t begin = from;
    for (; begin < sql.size() && min.y + line_px <= max.y; min.y += line_px) {
        const std::size_t line_end = std::min(sql.find('\n', begin), sql.size());
        const std::size_t end = broken_at(sql, begin, line_end, max.x - min.x);
        draw_sql_line(list, min, sql, begin, end, tokens);
        begin = end < line_end ? end : line_end + 1;
    }
    return begin >= sql.size();
}

}  // namespace snapviewer
