#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <string>
#include <utility>

#include "app/features/command_palette/command_palette.h"
#include "app/features/query/ready_queries.h"
#include "app/features/timeline/stack_names.h"
#include "app/ui/data_table.h"
#include "app/ui/drawn_text.h"
#include "app/ui/item_observer.h"
#include "app/ui/keys.h"
#include "app/ui/texts.h"
#include "app/ui/theme.h"
#include "core/base/context.h"
#include "core/base/text.h"
#include "core/timeline/overlays.h"
#include "core/timeline/totals.h"

namespace snapviewer::command_palette {

namespace {

bool is_letter_or_digit(char c) { return is_letter(c) || is_digit(c) || (c & 0x80) != 0; }

bool begins_word(std::string_view text, std::size_t at) { return at == 0 || !is_letter_or_digit(text[at - 1]); }

bool is_same(char a, char b) { return lower_case(a) == lower_case(b); }

/// Scores a word that occurs verbatim in the text: higher at the start of a word, and nearer to the start of the text.
std::optional<int> match_whole(std::string_view text, std::string_view word) {
    std::optional<int> best;
    auto from = text.begin();
    while (true) {
        const auto found = std::search(from, text.end(), word.begin(), word.end(), is_same);
        if (found == text.end()) return best;
        const auto at = static_cast<std::size_t>(found - text.begin());
        const int nearness = -static_cast<int>(std::min<std::size_t>(at, 50));
        const int points = 200 + 10 * static_cast<int>(word.size()) + (begins_word(text, at) ? 100 : 0) + nearness;
        best = std::max(best.value_or(points), points);
        from = found + 1;
    }
}

/// True if the letters of `word` occur in order, each at the start of a word or right after the previous match: "zts" for
/// "Zoom to the selection".
bool match_letters(std::string_view text, std::string_view word, std::size_t from) {
    if (word.empty()) return true;
    for (std::size_t at = from; at < text.size(); ++at) {
        const bool may_stand = begins_word(text, at) || (from > 0 && at == from);
        if (may_stand && is_same(text[at], word[0]) && match_letters(text, word.substr(1), at + 1)) return true;
    }
    return false;
}

}  // namespace

std::optional<int> fuzzy_match(std::string_view text, std::string_view typed) {
    int points = 0;
    while (true) {
        const std::size_t begin = typed.find_first_not_of(' ');
        if (begin == typed.npos) return points;
        typed.remove_prefix(begin);
        const std::string_view word = typed.substr(0, typed.find(' '));
        typed.remove_prefix(word.size());
        std::optional<int> found = match_whole(text, word);
        if (!found && match_letters(text, word, 0)) found = 0;
        if (!found) return std::nullopt;
        points += *found;
    }
}

namespace {

/// Maximum number of stacks in the list. In a longer list, too many stacks would have similar names.
constexpr std::size_t k_max_stacks = 20'000;

void add_commands(const Commands& commands, const Session& session, std::vector<PaletteEntry>& entries) {
    for (const Command& command : commands.in_menus()) {
        if (!command.can_run(session)) continue;
        const bool is_choice = command.menu == Menu::colour || command.menu == Menu::theme;
        const std::string menu = is_choice ? std::string(menu_title(command.menu)) + " " : "";
        entries.push_back({"", menu + command.words_now(session), command.keys, RunCommand{command.id}, command.synonyms});
    }
}

void add_tabs(const std::vector<std::string>& names, std::vector<PaletteEntry>& entries) {
    if (names.size() < 2) return;
    for (std::size_t i = 0; i < names.size(); ++i) entries.push_back({"tab", names[i], "", ShowTab{i}});
}

void add_devices(const Session& session, std::vector<PaletteEntry>& entries) {
    if (session.devices.size() < 2) return;
    for (std::size_t i = 0; i < session.devices.size(); ++i)
        entries.push_back({"device", device_title(session.devices[i]), "", ShowDevice{i}});
}

void add_what_is_shown(const Session& session, notes::Notes& notes, std::vector<PaletteEntry>& entries) {
    for (const OverlayItem& item : overlay_items(session.current_overlays(), session.preferences.overlays)) {
        entries.push_back(
            {"overlay", (item.is_shown ? "Hide " : "Show ") + item.name, "", ShowOverlay{item.id, !item.is_shown}});
    }
    for (const notes::Note& note : notes.all()) {
        if (!note.text.empty())
            entries.push_back({"note", one_line(note.text), "",
                               DeferredCall{"go to a note", [&notes, id = note.id] { notes.go_to(id); }}});
    }
    const std::vector<Marker>& markers = session.current_overlays().markers;
    for (std::size_t i = 0; i < markers.size(); ++i)
        entries.push_back({"marker", marker_label(*session.current_timeline(), markers[i]), "", GoToMarker{i}});
}

void add_queries(const query::QueryPaneState& pane, std::vector<PaletteEntry>& entries) {
    if (pane.database == nullptr) return;
    for (const query::QueryCard& card : query::ready_cards(pane.schema()))
        entries.push_back({"query", card.name, "", query::put_card(card, true)});
}

std::vector<PaletteEntry> stack_entries(const Timeline& timeline) {
    std::vector<PaletteEntry> entries;
    const std::vector<StackTotal> stacks = range_totals(timeline, 0, timeline.tick_count() - 1, k_max_stacks).stacks;
    check_stop();
    const std::vector<std::string> names = stack_names(timeline, stacks);
    for (std::size_t i = 0; i < stacks.size(); ++i)
        entries.push_back({"stack", names[i], "", HighlightStack{stacks[i].stack}});
    return entries;
}

}  // namespace

void PaletteFiller::connect(Switchboard& board) {
    board.docked.push_back(
        {.dock = Dock::window, .draw = [this](const Area& /*area*/, Requests& requests) { draw(requests); }});
    board.commands.on(CommandId::edit_palette, {.run = [this] { open(); }});
}

/// Takes the keyboard focus away from any text field at once, so that no letter goes to the wrong field.
void PaletteFiller::open() {
    session_.focus_returns_to = session_.focused;
    ImGui::SetWindowFocus(nullptr);
    state_.matches.clear();
    state_.entries.clear();
    add_commands(commands_, session_, state_.entries);
    add_devices(session_, state_.entries);
    add_tabs(tab_names_(), state_.entries);
    add_what_is_shown(session_, notes_, state_.entries);
    add_queries(queries_.state(), state_.entries);
    state_.wants_open = true;
    name_stacks();
}

/// Starts naming the stacks of the current picture, unless they are named already.
void PaletteFiller::name_stacks() {
    const std::shared_ptr<const Timeline> timeline =
        session_.current_timeline() ? session_.devices[session_.device_index].current().made.timeline : nullptr;
    if (!timeline) naming_.discard();
    if (!timeline || naming_.follow(timeline, 0, [timeline](Progress&) { return stack_entries(*timeline); }))
        state_.stacks.reset();
}

void PaletteFiller::update() {
    if (auto named = naming_.take(); named && *named) state_.stacks = **std::move(named);
    if (session_.document || !naming_.input()) return;
    naming_.discard();
    state_.stacks.reset();
}

namespace {

constexpr const char* k_popup = "palette";
constexpr std::size_t k_max_matches = 200;
constexpr int k_shown_rows = 14;
constexpr float k_palette_width_px = 640;

void collect_matches(PaletteState& state) {
    std::vector<std::pair<int, const PaletteEntry*>> found;
    const auto look = [&](const std::vector<PaletteEntry>& entries) {
        for (const PaletteEntry& entry : entries) {
            if (const auto points = match_entry(entry, state.typed)) found.emplace_back(-*points, &entry);
        }
    };
    look(state.entries);
    if (state.stacks) look(*state.stacks);
    std::ranges::stable_sort(found, {}, [](const auto& each) { return each.first; });
    if (found.size() > k_max_matches) found.resize(k_max_matches);
    state.matches.clear();
    for (const auto& [points, entry] : found) state.matches.push_back(entry);
    state.matched_to = state.typed;
    state.has_stacks = state.stacks.has_value();
    state.chosen = 0;
    state.scroll_to_chosen = true;
}

/// Draws one entry. Returns true if it was clicked.
bool draw_entry(PaletteState& state, std::size_t row) {
    const PaletteEntry& entry = *state.matches[row];
    need_characters(entry.words);
    ImGui::PushID(static_cast<int>(row));
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const float right = pos.x + ImGui::GetContentRegionAvail().x;
    const bool is_clicked = observed(ImGui::Selectable("##entry", row == state.chosen), fmt::format("palette_{}", row));
    if (row == state.chosen && std::exchange(state.scroll_to_chosen, false)) ImGui::SetScrollHereY(0.5F);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const std::string& aside = entry.keys.empty() ? std::string(entry.kind) : entry.keys;
    const float aside_left = right - ImGui::CalcTextSize(aside.c_str()).x - scaled(6);
    list->AddText({aside_left, pos.y}, palette().text_dim, aside.c_str());
    draw_cut_text(list, pos, aside_left - scaled(12), palette().text, entry.words);
    ImGui::PopID();
    return is_clicked;
}

int insert_early(ImGuiInputTextCallbackData* data) {
    std::string& early = static_cast<PaletteState*>(data->UserData)->typed_early;
    if (!early.empty()) data->InsertChars(data->CursorPos, early.c_str());
    early.clear();
    return 0;
}

/// Moves the letters of this frame to `typed_early`, for insert_early(). An inactive field does not read them, and ImGui
/// discards them in the frame in which the field gets the keyboard focus.
void keep_early_letters(PaletteState& state) {
    ImVector<ImWchar>& queue = ImGui::GetIO().InputQueueCharacters;
    for (const ImWchar character : queue) {
        if (character >= ' ' && character < 0x7f) state.typed_early += static_cast<char>(character);
    }
    queue.resize(0);
}

/// Draws the input field. Letters that are typed in the frame or two before it has the focus are not lost.
void draw_typed(PaletteState& state) {
    if (ImGui::IsWindowAppearing() || std::exchange(state.wants_keyboard, false)) ImGui::SetKeyboardFocusHere();
    if (!state.takes_letters) keep_early_letters(state);
    ImGui::SetNextItemWidth(-1);
    ImGui::InputTextWithHint("##typed", "A command, stack, marker or query", &state.typed,
                             ImGuiInputTextFlags_CallbackAlways, insert_early, &state);
    state.takes_letters = ImGui::IsItemActive();
    observe_item("palette_field");
}

/// Draws the field and the list. Returns the entry that the user chose, or null.
const PaletteEntry* draw_contents(PaletteState& state) {
    draw_typed(state);
    if (state.typed != state.matched_to || state.has_stacks != state.stacks.has_value()) collect_matches(state);
    if (const auto row = row_by_keys(state.chosen, state.matches.size(), k_shown_rows, true)) {
        state.chosen = *row;
        state.scroll_to_chosen = true;
    }
    const PaletteEntry* wanted = nullptr;
    ImGui::BeginChild("entries", {0, static_cast<float>(k_shown_rows) * ImGui::GetTextLineHeightWithSpacing()});
    if (state.matches.empty()) ImGui::TextDisabled("No matches");
    for (std::size_t row = 0; row < state.matches.size(); ++row) {
        if (draw_entry(state, row)) wanted = state.matches[row];
    }
    ImGui::EndChild();
    if (enter_pressed() && !state.matches.empty()) wanted = state.matches[state.chosen];
    state.wants_keyboard = enter_pressed() && wanted == nullptr;
    return wanted;
}

}  // namespace

std::optional<int> match_entry(const PaletteEntry& entry, std::string_view typed) {
    constexpr int k_less_for_synonyms = 50;
    const std::optional<int> by_words = fuzzy_match(entry.words, typed);
    if (entry.synonyms.empty()) return by_words;
    const std::optional<int> by_all = fuzzy_match(entry.words + ' ' + entry.synonyms, typed);
    return by_all ? std::max(by_words.value_or(INT_MIN), *by_all - k_less_for_synonyms) : by_words;
}

void PaletteFiller::draw(Requests& requests) {
    const bool was_open = state_.is_open;
    draw_popup(requests);
    if (was_open && !state_.is_open) session_.focus_next = std::exchange(session_.focus_returns_to, std::nullopt);
}

void PaletteFiller::draw_popup(Requests& requests) {
    if (std::exchange(state_.wants_open, false)) {
        state_.typed.clear();
        state_.typed_early.clear();
        state_.takes_letters = false;
        collect_matches(state_);
        ImGui::OpenPopup(k_popup);
    }
    const ImGuiViewport& viewport = *ImGui::GetMainViewport();
    const float width = std::min(scaled(k_palette_width_px), viewport.Size.x - scaled(24));
    ImGui::SetNextWindowPos({viewport.Pos.x + viewport.Size.x / 2, viewport.Pos.y + scaled(48)}, ImGuiCond_Always,
                            {0.5F, 0});
    ImGui::SetNextWindowSize({width, 0});
    state_.is_open = ImGui::BeginPopup(k_popup, ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoMove);
    if (!state_.is_open) return;
    if (const PaletteEntry* wanted = draw_contents(state_)) {
        requests.ask(wanted->request);
        ImGui::CloseCurrentPopup();
    } else if (key_pressed(Key::escape)) {
        ImGui::CloseCurrentPopup();
    }
    ImGui::EndPopup();
}

}  // namespace snapviewer::command_palette
