#pragma once

#include <any>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeindex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/ui/commands.h"

namespace snapviewer {

/// A type of request: a plain struct that can describe itself in a few words, such as "open oom.pickle", for crash reports.
template <typename Asked>
concept Askable = requires(const Asked& asked) {
    { asked.words() } -> std::convertible_to<std::string>;
};

/// A type-erased request. There is no central list of types, so that each feature can declare its own requests in its
/// folder.
class Request {
public:
    template <typename Asked>
    requires(!std::same_as<Asked, Request> && Askable<Asked>) Request(Asked asked)
        : asked_(std::move(asked)),
          words_([](const std::any& any) { return std::string(std::any_cast<Asked>(&any)->words()); }) {}

    std::string words() const { return words_(asked_); }
    std::type_index type() const { return asked_.type(); }
    /// The request as an `Asked`, or nullptr if it has another type.
    template <typename Asked>
    const Asked* get_if() const {
        return std::any_cast<Asked>(&asked_);
    }

private:
    std::any asked_;
    std::string (*words_)(const std::any&);
};

/// A function that is called after the frame is built, with a label such as "show callers of node 5" for crash reports.
struct DeferredCall {
    std::string label;
    std::function<void()> run;
    std::string words() const { return label; }
};

/// The requests that panels and shortcuts made during a frame, in order. The shell handles them after the frame is built.
class Requests {
public:
    void ask(Request request) { asked_.push_back(std::move(request)); }
    /// Calls `run` after the frame is built. Use this instead of a request type where nothing needs to be recorded or put
    /// into a link. What `run` refers to must outlive the frame.
    void later(std::string label, std::function<void()> run) { ask(DeferredCall{std::move(label), std::move(run)}); }
    /// Returns the requests so far and clears the list.
    std::vector<Request> take() { return std::exchange(asked_, {}); }

private:
    std::vector<Request> asked_;
};

/// Registry of request handlers by type. Two features may handle the same request: both handlers are called, in the order of
/// their registration.
///
///     handlers.on<FindText>([this](const FindText& asked) { find(asked.text); });
class RequestHandlers {
public:
    template <Askable Asked, typename Handler>
    void on(Handler handler) {
        handlers_[typeid(Asked)].push_back(
            [handler = std::move(handler)](const Request& request) { handler(*request.get_if<Asked>()); });
    }
    /// Calls the handlers of a request. Returns false if it has none, which is a bug in this program.
    bool carry_out(const Request& request) const {
        if (const DeferredCall* call = request.get_if<DeferredCall>()) {
            call->run();
            return true;
        }
        const auto found = handlers_.find(request.type());
        if (found == handlers_.end()) return false;
        for (const auto& handler : found->second) handler(request);
        return true;
    }

private:
    std::unordered_map<std::type_index, std::vector<std::function<void(const Request&)>>> handlers_;
};

struct Session;

/// Request to run a command.
struct RunCommand {
    CommandId id;
    std::string words() const { return command_row(id).name; }
};

struct Area;

/// The parts of the window that can have keyboard focus.
enum class Pane : std::uint8_t { timeline, details, query, table, fleet };

/// The place in the window of something that a feature draws.
enum class Dock : std::uint8_t {
    panel,         ///< fills an area of the window
    page,          ///< a tab of the right column
    window,        ///< a window in front of the panels
    menu,          ///< entries at the beginning of a menu; the menu is disabled while DockRow::is_there is false
    menu_bar,      ///< the right end of the menu bar
    above_picture  ///< a bar above the picture, or what fills the place of the picture if there is none
};

/// The areas that panels fill. If several panels name the same area, the first one that DockRow::is_there allows fills it.
enum class PanelArea : std::uint8_t { picture, below_picture, column, bottom };
inline constexpr std::size_t k_panel_areas = 4;

/// A part of the window that a feature registers when it connects. The shell draws all rows without knowing their contents.
///
///     board.docked.push_back({.dock = Dock::page, .id = "pins", .command = CommandId::page_pins,
///                             .draw = [this](const Area&, Requests& asked) { draw(asked); }});
///
/// The shell registers the behaviour of the command: that of a page shows the page, that of a window opens the window.
struct DockRow {
    Dock dock = Dock::page;
    /// A string literal, such as "pins". The tab of a page reports its rectangle as "tab_pins", the splitter of a panel as
    /// "query_splitter".
    std::string_view id = {};
    int order = 0;  ///< Sort key among panels and among windows; rows with equal keys keep their order
    /// Shows the page or opens the window; its words are the name of the tab. Pages are sorted by it. nullopt for no
    /// command.
    std::optional<CommandId> command = {};
    std::function<bool(const Session&)> is_possible = {};  ///< Whether a window can be opened now; empty for always
    std::function<std::string(const Session&)> doc = {};   ///< Tooltip of a window's command
    std::function<std::string(const Session&)> tab = {};   ///< Name of the tab if it depends on the document
    std::function<bool(const Session&)> is_there = {};     ///< Whether the row is shown now; empty for always
    std::string why_not = {};                              ///< Tooltip of the page's command while `is_there` is false
    std::function<bool(const Session&)> is_alone = {};     ///< Whether the page replaces all tabs
    std::function<void()> choose = {};                     ///< Called before the tabs are drawn; may choose the page to show
    Menu menu = Menu::none;
    PanelArea area = PanelArea::picture;
    std::optional<Pane> pane = {};  ///< The pane of a panel that the keyboard reaches after those of picture and details
    /// Fraction of the window's width that the column takes, or of the height that a panel below the picture takes. The user
    /// changes it with the splitter. Null only for the picture, and for a panel of the column that keeps its usual width.
    float* share = nullptr;
    std::function<float()> fixed_height = {};  ///< Height of the bottom panel in pixels; 0 if `share` applies
    std::function<void()> hide = {};           ///< Closes what covers the tabs; called when the user chooses a page
    bool* is_open = nullptr;                   ///< The flag that the command of a window sets
    /// Draws a page or a bar into the current window, and a panel into its area. A window gets the area below the menu and
    /// the tabs.
    std::function<void(const Area&, Requests&)> draw = {};
    /// Draws over the picture of allocations, whether or not the page is shown.
    std::function<void(Requests&)> draw_in_picture = {};

    bool is_shown(const Session& session) const { return !is_there || is_there(session); }
};

/// The channels through which the features of a window communicate with the shell and with each other.
struct Switchboard {
    Commands commands;
    std::vector<DockRow> docked;
    RequestHandlers handlers;
    Requests requests;
};

/// A file that is being opened.
struct OpeningFile {
    std::string path;
    std::optional<float> fraction;  ///< Progress from 0 to 1; nullopt once the file is read completely
};

/// A self-contained part of the window: its views, its work on other threads and the requests that it handles. The shell
/// knows features only by this interface and calls them in the order in which they were created. Main thread.
class Feature {
public:
    virtual ~Feature() = default;

    /// Registers the feature's commands and request handlers. Called once.
    virtual void connect(Switchboard&) {}
    /// Called before the document changes. Drops everything derived from the current document.
    virtual void leave() {}
    /// Called after the document has changed; it may be null.
    virtual void adopt() {}
    /// Called when the tab of another file comes to the front. Releases GPU resources.
    virtual void park() {}
    /// Called when this tab comes to the front. `other` is the same feature of the tab that was in front, after its park().
    virtual void take_place_of(Feature& /*other*/) {}
    /// Stops opening and preparing what the user waits for. Called for Esc.
    virtual void cancel() {}
    /// Undoes the innermost state of the feature that Esc ends, such as a selection; false if there is none. Esc asks the
    /// features in order, until one returns true.
    virtual bool dismiss(Requests&) { return false; }
    /// Called first in every frame, before the keyboard.
    virtual void begin_frame() {}
    /// Called at the beginning of every frame. Collects results of other threads and reacts to changes of the state.
    virtual void update() {}
    /// True while work is in progress, so that the window keeps drawing frames.
    virtual bool is_busy() const { return false; }
    /// True if an external event, such as a change on the disk, needs a new frame to become visible.
    virtual bool has_news() const { return false; }
    /// True if what the feature drew in the last frame covers the window, so that only shortcuts with
    /// Command::keys_while_loading work.
    virtual bool covers_window() const { return false; }
    /// A few words about the open file for the status bar, such as "no longer on disk"; mostly empty. Those of the feature
    /// that was created last come first.
    virtual std::string file_note() const { return {}; }
    /// The file that this feature is opening.
    virtual std::optional<OpeningFile> opening() const { return std::nullopt; }
    /// Called after everything is drawn, before the requests are handled. `now_s` is ImGui's clock.
    virtual void end_drawing(double /*now_s*/) {}
    /// Called last in every frame, after the requests.
    virtual void end_frame() {}

protected:
    Feature() = default;
    Feature(const Feature&) = delete;
    Feature& operator=(const Feature&) = delete;
};

}  // namespace snapviewer
