#include "app/features/query/sql_editor_ui.h"

#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/ui/fonts.h"
#include "app/ui/imgui_keys.h"
#include "app/ui/item_observer.h"
#include "app/ui/keys.h"
#include "app/ui/theme.h"

namespace snapviewer::query {
namespace {

constexpr const char* k_input = "##sql";
constexpr float k_caret_px = 2;
constexpr double k_blink_s = 1.2;  // blink period in seconds; same as ImGui's caret
constexpr double k_blink_visible_s = 0.8;

float sql_px(std::string_view text) {
    const ImFont* font = ImGui::GetFont();
    return font->CalcTextSizeA(ImGui::GetFontSize(), FLT_MAX, 0, text.data(), text.data() + text.size()).x;
}

FitsInLine fits_in(float width_px) {
    return [width_px](std::string_view text) {
        const char* rest = text.data();
        ImGui::GetFont()->CalcTextSizeA(ImGui::GetFontSize(), std::max(width_px, 1.0F), 0, text.data(),
                                        text.data() + text.size(), &rest);
        return static_cast<std::size_t>(rest - text.data());
    };
}

/// The layout of a text on the screen.
class SqlPage {
public:
    SqlPage(std::string_view sql, ImVec2 origin, float width_px)
        : sql_(sql), lines_(wrap_sql(sql, fits_in(width_px))), origin_(origin) {}

    std::size_t lines() const { return lines_.size(); }
    const SqlSpan& line(std::size_t index) const { return lines_[index]; }
    float line_px() const { return ImGui::GetFontSize(); }
    float height_px() const { return static_cast<float>(lines()) * line_px(); }
    std::size_t line_at(std::size_t byte) const { return line_of_byte(lines_, byte); }
    /// Returns the upper left corner of the character at a byte of a line.
    ImVec2 place_in(std::size_t line, std::size_t byte) const {
        const std::size_t begin = lines_[line].begin;
        return {origin_.x + sql_px(sql_.substr(begin, byte - begin)), origin_.y + static_cast<float>(line) * line_px()};
    }
    ImVec2 place(std::size_t byte) const { return place_in(line_at(byte), std::min(byte, sql_.size())); }
    /// Returns the caret position in a line that is nearest to `x`.
    std::size_t byte_in(std::size_t line, float x) const;
    std::size_t byte_at(ImVec2 place) const {
        const float row = std::floor((place.y - origin_.y) / line_px());
        return byte_in(static_cast<std::size_t>(std::clamp(row, 0.0F, static_cast<float>(lines() - 1))), place.x);
    }

private:
    std::string_view sql_;
    std::vector<SqlSpan> lines_;
    ImVec2 origin_;
};

std::size_t SqlPage::byte_in(std::size_t line, float x) const {
    const std::size_t last = last_caret_of(lines_, line, sql_);
    float left = origin_.x;
    for (std::size_t at = lines_[line].begin; at < last;) {
        const std::size_t next = past_character(sql_, at);
        const float width = sql_px(sql_.substr(at, next - at));
        if (x < left + width / 2) return at;
        left += width;
        at = next;
    }
    return last;
}

/// Draws one line, token by token, each in its colour.
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
        const auto& [begin, end] = page.line(i);
        const ImVec2 at = page.place_in(i, begin);
        if (at.y + page.line_px() < top) continue;
        if (at.y > bottom) break;
        draw_sql_line(list, at, sql, begin, end, tokens);
    }
}

/// Draws the background of the selection. A selected line feed is as wide as a blank.
void draw_sql_selection(ImDrawList* list, const SqlPage& page, std::string_view sql, std::size_t begin, std::size_t end) {
    for (std::size_t i = page.line_at(begin); i <= page.line_at(end); ++i) {
        const SqlSpan& line = page.line(i);
        const ImVec2 from = page.place_in(i, std::max(begin, line.begin));
        const ImVec2 to = page.place_in(i, std::min(end, line.end));
        const bool has_feed = end > line.end && sql[line.end] == '\n';
        list->AddRectFilled(from, {to.x + (has_feed ? sql_px(" ") : 0), to.y + page.line_px()}, palette().accent_soft);
    }
}

/// Draws a wavy underline below the word at a byte.
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
    const bool is_visible = !ImGui::GetIO().ConfigInputTextCursorBlink || std::fmod(since_s, k_blink_s) < k_blink_visible_s;
    if (is_visible) list->AddRectFilled(at, {at.x + std::max(1.0F, scaled(k_caret_px)), at.y + line_px}, palette().text);
}

/// Scrolls just enough to make the caret visible.
void scroll_to_caret(ImVec2 caret, ImVec2 origin, ImVec2 room, float line_px) {
    const float y = caret.y - origin.y;
    if (y < ImGui::GetScrollY()) ImGui::SetScrollY(y);
    if (y + 2 * line_px > ImGui::GetScrollY() + room.y) ImGui::SetScrollY(y + 2 * line_px - room.y);
}

/// The data for the callback of ImGui's input.
struct Editing {
    QueryPaneState& pane;
    ImVec2 origin;
    float width_px = 0;
    bool is_under_mouse = false;
};

void complete(const QueryPaneState& pane, ImGuiInputTextCallbackData& data, const SqlName& name) {
    const int begin = static_cast<int>(pane.word_begin);
    if (begin > data.CursorPos) return;
    data.DeleteChars(begin, data.CursorPos - begin);
    data.InsertChars(begin, completed_text(name).c_str());
}

void replace_text(QueryPaneState& pane, ImGuiInputTextCallbackData& data) {
    data.DeleteChars(0, data.BufTextLen);
    data.InsertChars(0, pane.forced_sql->c_str());
    pane.forced_sql.reset();
    data.SelectionStart = pane.selection_begin;
    data.SelectionEnd = data.CursorPos = pane.selection_end;
}

/// Moves the caret on Up and Down. ImGui does not know about wrapped lines, so the position is computed from the caret's
/// position before the key.
void move_by_lines(SqlEditorState& state, const SqlPage& page, ImGuiInputTextCallbackData& data) {
    const ImGuiIO& io = ImGui::GetIO();
    const bool is_up = key_pressed(Key::up, true);
    if (is_up == key_pressed(Key::down, true) || io.KeyAlt || io.KeyCtrl || io.KeySuper) return;
    const std::size_t from = static_cast<std::size_t>(std::clamp(state.caret, 0, data.BufTextLen));
    if (state.column_of != state.caret) state.column_px = page.place(from).x;
    const std::size_t line = page.line_at(from);
    const bool can_move = is_up ? line > 0 : line + 1 < page.lines();
    const std::size_t to = can_move ? page.byte_in(is_up ? line - 1 : line + 1, state.column_px) : from;
    data.CursorPos = data.SelectionEnd = state.column_of = static_cast<int>(to);
    if (!io.KeyShift) data.SelectionStart = data.CursorPos;
}

/// Handles the mouse with regard to wrapped lines: a click places the caret, a double click selects a word, a triple click
/// the line. Shift and dragging extend the selection.
void follow_mouse_in_sql(const Editing& editing, const SqlPage& page, ImGuiInputTextCallbackData& data) {
    SqlEditorState& state = editing.pane.editor;
    const auto size = static_cast<std::size_t>(data.BufTextLen);
    const std::string_view sql(data.Buf, size);
    const std::size_t at = page.byte_at(ImGui::GetIO().MousePos);
    if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
        state.pressed.reset();
    } else if (editing.is_under_mouse && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        const int clicks = ImGui::GetMouseClickedCount(ImGuiMouseButton_Left);
        const int far_end = state.caret == state.selection_begin ? state.selection_end : state.selection_begin;
        const auto anchor = std::min(static_cast<std::size_t>(std::max(far_end, 0)), size);
        state.pressed = clicks == 2                                  ? word_around(sql, at)
                        : clicks > 2                                 ? page.line(page.line_at(at))
                        : ImGui::GetIO().KeyShift && state.is_active ? SqlSpan{anchor, anchor}
                                                                     : SqlSpan{at, at};
    }
    if (!state.pressed) return;
    const bool is_before = at < state.pressed->begin;
    data.SelectionStart = static_cast<int>(is_before ? state.pressed->end : state.pressed->begin);
    data.SelectionEnd = data.CursorPos = static_cast<int>(is_before ? at : std::max(at, state.pressed->end));
}

int follow_editing(ImGuiInputTextCallbackData* data) {
    const Editing& editing = *static_cast<Editing*>(data->UserData);
    QueryPaneState& pane = editing.pane;
    SqlEditorState& state = pane.editor;
    if (data->EventFlag == ImGuiInputTextFlags_CallbackAlways) {
        const std::string_view sql(data->Buf, static_cast<std::size_t>(data->BufTextLen));
        const SqlPage page(sql, editing.origin, editing.width_px);
        move_by_lines(state, page, *data);
        follow_mouse_in_sql(editing, page, *data);
        if (pane.forced_sql) replace_text(pane, *data);
        pane.tab().caret = data->CursorPos;
    } else {
        if (!pane.completions.empty()) complete(pane, *data, pane.completions.front());
        pane.completions.clear();
    }
    if (state.caret != data->CursorPos) state.moved_at_s = ImGui::GetTime();
    state.caret = data->CursorPos;
    state.selection_begin = std::min(data->SelectionStart, data->SelectionEnd);
    state.selection_end = std::max(data->SelectionStart, data->SelectionEnd);
    return 0;
}

/// Runs ImGui's own text input with transparent colours. It handles the editing, but could draw the text in one colour
/// only. Tab inserts a completion if there is one.
bool edit_invisible_text(Editing editing, ImVec2 size) {
    for (const ImGuiCol slot : {ImGuiCol_Text, ImGuiCol_TextSelectedBg, ImGuiCol_FrameBg, ImGuiCol_Border})
        ImGui::PushStyleColor(slot, IM_COL32_BLACK_TRANS);
    // NoHorizontalScroll, because the enclosing window scrolls the text.
    const ImGuiInputTextFlags flags =
        ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackAlways | ImGuiInputTextFlags_NoHorizontalScroll |
        (editing.pane.completions.empty() ? ImGuiInputTextFlags_AllowTabInput : ImGuiInputTextFlags_CallbackCompletion);
    const bool is_entered =
        ImGui::InputTextMultiline(k_input, &editing.pane.tab().sql, size, flags, follow_editing, &editing);
    ImGui::PopStyleColor(4);
    return is_entered;
}

void colour_sql(SqlEditorState& state, const std::string& sql, std::span<const sqlite::TableDoc> schema) {
    if (state.coloured == sql && state.known_tables == schema.size()) return;
    state.coloured = sql;
    state.known_tables = schema.size();
    state.tokens = sql_tokens(sql, schema);
}

}  // namespace

std::string completed_text(const SqlName& name) {
    const std::size_t bracket = name.text.find('(');
    return bracket == std::string::npos ? name.text : name.text.substr(0, bracket + 1);
}

bool draw_sql_editor(QueryPaneState& pane, ImVec2 size, bool takes_keyboard, std::optional<std::size_t> error_at) {
    SqlEditorState& state = pane.editor;
    const std::string& sql = pane.tab().sql;
    const CodeFont code;
    ImGui::PushStyleColor(ImGuiCol_ChildBg, palette().field);
    ImGui::BeginChild("editor", size);
    ImGui::PopStyleColor();
    const ImVec2 pad = ImGui::GetStyle().FramePadding;
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const ImVec2 origin(corner.x + pad.x, corner.y + pad.y);
    const float width_px = room.x - 2 * pad.x - scaled(k_caret_px);
    const float height_px = SqlPage(sql, origin, width_px).height_px() + 2 * pad.y + scaled(2);
    if (takes_keyboard) focus_next_input(k_input);
    const int caret_before = state.caret;
    const std::size_t size_before = sql.size();
    const bool is_under_mouse = ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows) &&
                                ImGui::IsMouseHoveringRect(ImGui::GetWindowPos(), {corner.x + room.x, FLT_MAX});
    const bool is_entered =
        edit_invisible_text({pane, origin, width_px, is_under_mouse}, {room.x, std::max(room.y, height_px)});
    state.is_active = ImGui::IsItemActive();

    colour_sql(state, sql, pane.schema());
    const SqlPage page(sql, origin, width_px);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto byte = [&](int at) { return std::min(static_cast<std::size_t>(std::max(at, 0)), sql.size()); };
    if (state.is_active && state.selection_begin < state.selection_end)
        draw_sql_selection(list, page, sql, byte(state.selection_begin), byte(state.selection_end));
    draw_sql_text(list, page, sql, state.tokens);
    if (error_at) draw_error_mark(list, page, sql, std::min(*error_at, sql.size()));
    if (sql.empty()) {
        const ImFont* font = ImGui::GetFont();
        list->AddText(font, ImGui::GetFontSize(), origin, palette().text_faint, "Type SQL, or pick a query", nullptr,
                      width_px);
    }
    const std::size_t caret_line = page.line_at(byte(state.caret));
    state.is_on_first_line = caret_line == 0;
    state.is_on_last_line = caret_line + 1 == page.lines();
    if (state.is_active) {
        const ImVec2 caret = page.place(byte(state.caret));
        draw_sql_caret(list, state, caret, page.line_px());
        observe_item("query_caret", caret.x, caret.y, caret.x + scaled(k_caret_px), caret.y + page.line_px());
        if (state.caret != caret_before || sql.size() != size_before) scroll_to_caret(caret, origin, room, page.line_px());
    }
    ImGui::EndChild();
    return is_entered;
}

bool draw_sql_lines(ImDrawList* list, ImVec2 min, ImVec2 max, std::string_view sql, std::size_t from,
                    std::span<const SqlToken> tokens) {
    const float line_px = ImGui::GetFontSize();
    const std::vector<SqlSpan> lines = wrap_sql(sql.substr(from), fits_in(max.x - min.x));
    for (const SqlSpan& line : lines) {
        if (min.y + line_px > max.y) return false;
        draw_sql_line(list, min, sql, from + line.begin, from + line.end, tokens);
        min.y += line_px;
    }
    return true;
}

}  // namespace snapviewer::query
