#include "app/state/requests.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "app/text/ready_queries.h"

namespace snapviewer {
namespace {

constexpr std::array k_command_names = {"open dialog",
                                        "open companion",
                                        "dismiss pair",
                                        "reload",
                                        "dismiss reload",
                                        "close document",
                                        "quit",
                                        "fit",
                                        "zoom to selection",
                                        "go to peak",
                                        "next marker",
                                        "previous marker",
                                        "toggle axis",
                                        "toggle clock",
                                        "toggle query",
                                        "toggle tracks",
                                        "clear selection",
                                        "copy details",
                                        "dismiss import log",
                                        "show settings",
                                        "cancel load",
                                        "dismiss error",
                                        "open search",
                                        "close search",
                                        "next hit",
                                        "previous hit",
                                        "next picture",
                                        "next view",
                                        "nearer",
                                        "farther",
                                        "go back",
                                        "go forward",
                                        "next pane",
                                        "dismiss",
                                        "open palette",
                                        "toggle full screen",
                                        "list hits",
                                        "show findings",
                                        "show growth",
                                        "find findings",
                                        "stop finding",
                                        "stop what if",
                                        "go on what if",
                                        "toggle address map",
                                        "search as sql",
                                        "toggle flame graph",
                                        "toggle minimap",
                                        "toggle names",
                                        "add note",
                                        "undo note",
                                        "copy render command",
                                        "compare dialog",
                                        "stop compare",
                                        "go on compare",
                                        "copy compare command",
                                        "open fleet dialog",
                                        "devices as fleet",
                                        "stop fleet",
                                        "go on fleet",
                                        "compare ranks",
                                        "show callers",
                                        "leave callers",
                                        "copy folded",
                                        "open tab dialog",
                                        "next tab",
                                        "previous tab",
                                        "interface larger",
                                        "interface smaller",
                                        "interface normal",
                                        "toggle frame times"};
static_assert(k_command_names.size() == static_cast<std::size_t>(Command::toggle_frame_times) + 1);

struct Words {
    std::string operator()(Command command) const { return k_command_names[static_cast<std::size_t>(command)]; }
    std::string operator()(const OpenWindow&) const { return "open a dialog"; }
    std::string operator()(const OpenFile& asked) const { return "open " + asked.path; }
    std::string operator()(const OpenInTab& asked) const { return "open in a tab " + asked.path; }
    std::string operator()(const ShowTab& asked) const { return fmt::format("show tab {}", asked.index); }
    std::string operator()(const CloseTab& asked) const { return fmt::format("close tab {}", asked.index); }
    std::string operator()(const SavePicture& asked) const { return "save the picture as " + asked.path; }
    std::string operator()(const OpenWith& asked) const { return "open together with it " + asked.path; }
    std::string operator()(const CompareWith& asked) const { return "compare with " + asked.path; }
    std::string operator()(const GoToCompared& asked) const { return "go to compared " + asked.key; }
    std::string operator()(const UseKindRules&) const { return "use rules for kinds"; }
    std::string operator()(const UseStackRules&) const { return "use rules for stacks"; }
    std::string operator()(const OpenSource& asked) const {
        return fmt::format("open line {} of {}", asked.place.line, asked.place.path);
    }
    std::string operator()(const EditNote&) const { return "edit a note"; }
    std::string operator()(const KeepNote&) const { return "keep a note"; }
    std::string operator()(const GoToNote&) const { return "go to a note"; }
    std::string operator()(const ShowComparedBox& asked) const {
        return std::string("show compared ") + (asked.box ? compared_box_name(*asked.box) : "all");
    }
    std::string operator()(const OpenRank& asked) const { return "open " + rank_words(asked.rank); }
    std::string operator()(const ShowDevice& asked) const { return fmt::format("show device at {}", asked.index); }
    std::string operator()(const ShowView& asked) const { return fmt::format("show view {}", static_cast<int>(asked.kind)); }
    std::string operator()(const ShowPicture& asked) const { return fmt::format("show picture {}", asked.picture); }
    std::string operator()(const ColourAs& asked) const { return fmt::format("colour by {}", static_cast<int>(asked.by)); }
    std::string operator()(const CopyText&) const { return "copy a text"; }
    std::string operator()(const UseTheme& asked) const { return std::string("use theme ") + theme_name(asked.theme); }
    std::string operator()(const ShowOverlay& asked) const {
        return fmt::format("{} overlay {}", asked.is_shown ? "show" : "hide", asked.id);
    }
    std::string operator()(const SelectAllocation& asked) const {
        return fmt::format("select allocation {}", asked.id.value);
    }
    std::string operator()(const SelectMarker& asked) const { return fmt::format("select marker {}", asked.index); }
    std::string operator()(const SelectNode& asked) const { return fmt::format("select node {}", asked.node); }
    std::string operator()(const ListLive& asked) const { return fmt::format("list what lives at tick {}", asked.tick); }
    std::string operator()(const FindText& asked) const { return "find " + asked.text; }
    std::string operator()(const EmphasiseStack& asked) const {
        return fmt::format("emphasise stack {}", asked.stack.value);
    }
    std::string operator()(const EmphasiseGroup& asked) const { return fmt::format("emphasise group {}", asked.group); }
    std::string operator()(const GoToMarker& asked) const { return fmt::format("go to marker {}", asked.index); }
    std::string operator()(const GoToFinding& asked) const { return fmt::format("go to finding {}", asked.index); }
    std::string operator()(const GoToGrowth& asked) const { return fmt::format("go to growth {}", asked.index); }
    std::string operator()(const GoToEvent& asked) const { return fmt::format("go to event {}", asked.event); }
    std::string operator()(const ShowPart&) const { return "show a part of the picture"; }
    std::string operator()(const PutQuery& asked) const { return (asked.is_complete ? "run " : "edit ") + asked.sql; }
    std::string operator()(const RunQuery&) const { return "run the query"; }
    std::string operator()(const MoreRows&) const { return "ask for more rows"; }
    std::string operator()(const SaveRows& asked) const { return "save rows as " + asked.path; }
    std::string operator()(const StopQuery&) const { return "stop the query"; }
    std::string operator()(const NewQueryTab&) const { return "another query tab"; }
    std::string operator()(const ShowQueryTab&) const { return "show a query tab"; }
    std::string operator()(const CloseQueryTab&) const { return "close a query tab"; }
    std::string operator()(const StarQuery& asked) const { return "star " + asked.sql.value_or("the query"); }
    std::string operator()(const FollowRow&) const { return "follow a row"; }
    std::string operator()(const RevealAllocation& asked) const {
        return fmt::format("reveal allocation {}", asked.id.value);
    }
    std::string operator()(const SaveTable& asked) const { return "save the table as " + asked.path; }
    std::string operator()(const AddTrack&) const { return "add a track"; }
    std::string operator()(const RemoveTrack& asked) const { return fmt::format("remove track {}", asked.index); }
    std::string operator()(const CopyTable&) const { return "copy the table"; }
    std::string operator()(const ShowCallers& asked) const { return fmt::format("show callers of node {}", asked.node); }
    std::string operator()(const SaveFolded& asked) const { return "save folded stacks as " + asked.path; }
    std::string operator()(const EmphasiseChange& asked) const {
        return fmt::format("emphasise change {}", static_cast<int>(asked.change));
    }
};

}  // namespace

PutQuery put_ready_query(const ReadyQuery& query) {
    if (query.edit == nullptr) return {query.sql, query.sql.size(), query.sql.size(), true};
    const std::size_t begin = query.sql.find(query.edit);
    return {query.sql, begin, begin + std::string(query.edit).size(), false};
}

std::string action_text(const Request& request) {
    std::string text;
    request.hand_to([&text](const auto& asked) { text = Words{}(asked); });
    return text;
}

void Requests::ask(Request request) { asked_.push_back(std::move(request)); }

std::vector<Request> Requests::take() { return std::exchange(asked_, {}); }

}  // namespace snapviewer
