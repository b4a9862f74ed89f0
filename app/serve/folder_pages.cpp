#include "app/serve/folder_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/features/files/folder_listing.h"
#include "app/serve/html.h"
#include "app/serve/series_page.h"
#include "core/base/json_text.h"
#include "core/base/number_text.h"
#include "core/fleet/fleet_reader.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_most_ranks = 4096;  // maximum number of files, so that their names fit into a command
constexpr int k_bad_files = 422;

std::string link_to(const ServedPlace& place) { return escaped_for_link(place.name) + "/"; }

/// Sorts folders before files, then by `by`: "name", "size", or by default the newest first.
void sort_places(std::vector<ServedPlace>& places, const std::string& by) {
    std::ranges::sort(places, [&](const ServedPlace& a, const ServedPlace& b) {
        if (a.is_folder() != b.is_folder()) return a.is_folder();
        if (by == "size" && a.size_bytes != b.size_bytes) return a.size_bytes > b.size_bytes;
        if (by != "name" && by != "size" && a.modified_s != b.modified_s) return a.modified_s > b.modified_s;
        return a.name < b.name;
    });
}

std::string folder_json(const std::vector<ServedPlace>& places) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const ServedPlace& place : places) {
        json.push_back({{"name", place.name},
                        {"kind", place.is_folder() ? "folder" : "file"},
                        {"size_bytes", place.size_bytes},
                        {"modified_s", place.modified_s},
                        {"link", link_to(place)}});
    }
    return json_text(json, 2) + "\n";
}

std::string row_html(const ServedPlace& place) {
    return fmt::format("<tr><td><a href=\"{}\">{}{}</a></td><td class=\"number\">{}</td><td>{}</td></tr>\n",
                       html_text(link_to(place)), html_name(place.name), place.is_folder() ? "/" : "",
                       place.is_folder() ? "" : format_bytes(place.size_bytes), format_modified(place.modified_s));
}

std::string shown_list(const std::vector<ServedPlace>& places) {
    if (places.empty()) return "<p>There are no snapshots here. Read this page again when one has been written.</p>\n";
    std::string html =
        "<table>\n<tr><th><a href=\"?sort=name\">name</a></th><th><a href=\"?sort=size\">size</a></th>"
        "<th><a href=\"?sort=time\">written</a></th></tr>\n";
    for (const ServedPlace& place : places) html += row_html(place);
    return html + "</table>\n";
}

bool can_be_fleet(const std::vector<ServedPlace>& places) {
    return std::ranges::count_if(places, [](const ServedPlace& place) { return !place.is_folder(); }) > 1;
}

}  // namespace

HttpAnswer folder_page(const ServedFolder& served, const std::string& root_name, const ServedPlace& folder,
                       const RequestTarget& target) {
    Result<std::vector<ServedPlace>> places = served.list(folder, target.names);
    if (!places) return refusal(403, places.error().message, target);
    sort_places(*places, target.parameter("sort"));
    if (target.has("json")) return json_answer(folder_json(*places));
    std::string html = html_way(root_name, target.names) + shown_list(*places);
    if (can_be_fleet(*places)) html += "<p><a href=\"?fleet\">All files below this folder as the ranks of one job</a></p>\n";
    if (looks_like_series(*places)) html += "<p><a href=\"?series\">The samples below this folder over time</a></p>\n";
    html += "<p>For scripts: <a href=\"?json\">this list</a></p>\n";
    const std::string title = target.names.empty() ? root_name : target.names.back();
    return html_answer(html_page(title, std::move(html), target.parameter("refresh")));
}

HttpAnswer fleet_page(const ServedFolder& served, const std::string& root_name, const ServedPlace& folder,
                      const RequestTarget& target, ServeCommands& commands,
                      const ServeCommands::IsReaderGone& is_reader_gone) {
    Progress progress;
    const auto files = find_fleet_files(std::vector{folder.path}, "", progress);
    std::vector<std::string> words = {"fleet"};
    std::string version;
    std::uint64_t file_bytes = 0;
    for (const FleetFile& file : files ? *files : std::vector<FleetFile>()) {
        if (!served.may_show(file.path)) continue;
        words.push_back(file.path);
        version += version_with_companions(file.path);
        file_bytes += file.file_bytes;
    }
    if (words.size() == 1) return refusal(k_bad_files, std::string("The folder ") + k_no_fleet_files, target);
    if (words.size() > k_most_ranks)
        return refusal(k_bad_files, "There are too many files below this folder; snapviewer fleet reads them", target);
    if (target.has("json")) words.emplace_back("--json");
    const ServeCommands::Answer answer = commands.ask(words, version, file_bytes, is_reader_gone);
    if (!answer->is_done()) return refusal_of(*answer, folder.path, k_bad_files, target);
    if (target.has("json")) return output_answer(answer, "application/json");
    auto room = commands.room_for_page(answer->output.size(), is_reader_gone);
    if (!room) return busy(target);
    std::string html =
        html_way(root_name, target.names) +
        "<p><a href=\"./\">The files</a>. For scripts: <a href=\"?fleet&amp;json\">this report</a></p>\n<pre>" +
        html_text(answer->output) + "</pre>\n";
    return html_answer(html_page("Fleet", std::move(html), target.parameter("refresh")), *std::move(room));
}

}  // namespace snapviewer
