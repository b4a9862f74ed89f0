#include "app/serve/folder_pages.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "app/features/files/files_on_disk.h"
#include "app/serve/answers.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/fleet/fleet_reader.h"
#include "core/fleet/series/series_reader.h"

namespace snapviewer::serve {
namespace {

using Json = nlohmann::json;

constexpr int k_no_series = 422;
constexpr std::int64_t k_us_a_second = 1'000'000;
constexpr std::size_t k_max_table_rows = 100;  ///< Maximum number of rows in a table; the JSON has all rows

std::string text_in(const Json& row, const char* name) {
    const Json& value = row.at(name);
    return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : json_text(value);
}
std::string bytes_in(const Json& row, const char* name) {
    return row.at(name).is_number_unsigned() ? format_bytes(row.at(name).get<std::uint64_t>()) : "";
}
std::int64_t time_in(const Json& row, const char* name) {
    return row.at(name).is_number_integer() ? row.at(name).get<std::int64_t>() : 0;
}
std::string moment_in(const Json& row, const char* name) {
    const std::int64_t time_us = time_in(row, name);
    return time_us == 0 ? "" : files::format_modified(time_us / k_us_a_second);
}
std::string rate_in(const Json& row) {
    for (const auto& [name, word] : {std::pair("bytes_per_hour", "an hour"), std::pair("bytes_per_sample", "a sample")}) {
        if (row.at(name).is_number())
            return fmt::format("{} {}", format_bytes(static_cast<std::uint64_t>(std::max(row.at(name).get<double>(), 0.0))),
                               word);
    }
    return "";
}

std::string growing_in(const Json& row) {
    const std::string kind = text_in(row, "kind");
    if (kind == "pool") return "the pool " + text_in(row, "pool");
    if (kind == "size_class")
        return fmt::format("blocks from {} in the pool {}", bytes_in(row, "at_least_bytes"), text_in(row, "pool"));
    return kind == "idle" ? "reserved and not allocated" : "allocated memory";
}

/// A column of a table: its heading, and a function that returns a row's text.
struct PageColumn {
    const char* head;
    std::string (*text)(const Json& row);
};

std::string table_html(const char* title, const Json& rows, std::initializer_list<PageColumn> columns) {
    if (rows.empty()) return "";
    std::string html = fmt::format("<h2>{}</h2>\n<table>\n<tr>", title);
    for (const PageColumn& column : columns) html += fmt::format("<th>{}</th>", column.head);
    html += "</tr>\n";
    for (std::size_t i = 0; i < std::min(rows.size(), k_max_table_rows); ++i) {
        html += "<tr>";
        for (const PageColumn& column : columns) html += fmt::format("<td>{}</td>", html_text(column.text(rows[i])));
        html += "</tr>\n";
    }
    html += "</table>\n";
    if (rows.size() > k_max_table_rows) html += fmt::format("<p>and {} more</p>\n", rows.size() - k_max_table_rows);
    return html;
}

constexpr PageColumn k_rank{"rank", [](const Json& row) { return text_in(row, "rank"); }};
constexpr PageColumn k_device{"device", [](const Json& row) { return text_in(row, "device"); }};
constexpr PageColumn k_host{"host", [](const Json& row) { return text_in(row, "host"); }};

/// Returns the link from the folder's page to the page of a file below it; empty if the file is not below it.
std::string link_below(const ServedPlace& folder, std::string_view path) {
    if (!path.starts_with(folder.path + "/")) return "";
    path.remove_prefix(folder.path.size() + 1);
    std::string link;
    while (!path.empty()) {
        const std::string_view name = path.substr(0, path.find('/'));
        path.remove_prefix(std::min(path.size(), name.size() + 1));
        link += escaped_for_link(name) + "/";
    }
    return link;
}

std::string dump_html(const ServedPlace& folder, const Json& dump) {
    const std::string file = text_in(dump, "file");
    const std::string link = link_below(folder, file);
    const std::string name = html_name(std::string_view(file).substr(file.rfind('/') + 1));
    return fmt::format("{}, {}, rank {}, {}",
                       link.empty() ? name : fmt::format("<a href=\"{}\">{}</a>", html_text(link), name),
                       html_text(text_in(dump, "why")), html_text(text_in(dump, "rank")), moment_in(dump, "time_us"));
}

std::string dumps_html(const ServedPlace& folder, const Json& told) {
    std::vector<Json> dumps(told.begin(), told.end());
    if (dumps.empty()) return "<p>No full snapshot has been written.</p>\n";
    std::ranges::stable_sort(dumps, std::ranges::greater(), [](const Json& dump) { return time_in(dump, "time_us"); });
    std::string html = fmt::format("<p>The newest full snapshot: {}</p>\n", dump_html(folder, dumps.front()));
    if (dumps.size() == 1) return html;
    html += "<h2>All full snapshots</h2>\n<ul>\n";
    for (std::size_t i = 0; i < std::min(dumps.size(), k_max_table_rows); ++i)
        html += fmt::format("<li>{}</li>\n", dump_html(folder, dumps[i]));
    return html + "</ul>\n";
}

std::string ended_html(const Json& ended) {
    std::string html;
    for (std::size_t i = 0; i < std::min(ended.size(), k_max_table_rows); ++i) {
        const std::string host = text_in(ended[i], "host");
        html += fmt::format(
            "<p class=\"error\">Rank {}{} no longer writes. Its last sample is from {}, {} s before the last of "
            "all ranks.</p>\n",
            html_text(text_in(ended[i], "rank")), host.empty() ? "" : " on " + html_text(host),
            moment_in(ended[i], "last_us"), time_in(ended[i], "before_us") / k_us_a_second);
    }
    return html;
}

std::string series_html(const ServedPlace& folder, const Json& series) {
    return ended_html(series.at("ended")) + dumps_html(folder, series.at("dumps")) +
           table_html("Grows over the whole series", series.at("growing"),
                      {k_rank,
                       k_device,
                       {"what", growing_in},
                       {"by", rate_in},
                       {"from", [](const Json& row) { return bytes_in(row, "from_bytes"); }},
                       {"to", [](const Json& row) { return bytes_in(row, "to_bytes"); }}}) +
           table_html("Outside PyTorch's allocator", series.at("outside"),
                      {k_rank,
                       k_device,
                       {"of",
                        [](const Json& row) {
                            return std::string(text_in(row, "of") == "outside" ? "all others" : "other processes");
                        }},
                       {"from", [](const Json& row) { return bytes_in(row, "from_bytes"); }},
                       {"to", [](const Json& row) { return bytes_in(row, "to_bytes"); }},
                       {"since", [](const Json& row) { return moment_in(row, "since_us"); }}}) +
           table_html("Times without samples", series.at("gaps"),
                      {k_rank,
                       {"from", [](const Json& row) { return moment_in(row, "from_us"); }},
                       {"to", [](const Json& row) { return moment_in(row, "to_us"); }}}) +
           table_html("Ranks", series.at("ranks"),
                      {k_rank,
                       k_host,
                       k_device,
                       {"samples", [](const Json& row) { return text_in(row, "samples"); }},
                       {"last sample", [](const Json& row) { return moment_in(row, "last_time_us"); }},
                       {"step", [](const Json& row) { return text_in(row, "last_step"); }},
                       {"allocated", [](const Json& row) { return bytes_in(row, "last_allocated_bytes"); }},
                       {"most", [](const Json& row) { return bytes_in(row, "most_allocated_bytes"); }},
                       {"reserved", [](const Json& row) { return bytes_in(row, "last_reserved_bytes"); }}}) +
           table_html("Files that cannot be read", series.at("failed"),
                      {{"file", [](const Json& row) { return text_in(row, "file"); }},
                       {"why", [](const Json& row) { return text_in(row, "error"); }}});
}

/// Totals of all files in a series: their number, bytes, and a hash that changes if any of them changes.
struct SeriesContents {
    std::size_t count = 0;
    std::uint64_t bytes = 0;
    std::uint64_t version = 0;
    bool leads_out = false;  ///< True if some files must not be shown, because links lead out of the served folder
};

SeriesContents contents_of(const ServedFolder& served, const std::vector<series::SeriesFile>& files) {
    SeriesContents contents;
    for (const series::SeriesFile& file : files) {
        contents.leads_out = contents.leads_out || !served.may_show(file.path);
        const std::string seen = fmt::format("{:016x}{}{}", contents.version, file.path, version_with_companions(file.path));
        contents.version = hash_bytes(seen.data(), seen.size());
        contents.bytes += file.stamp.file_bytes;
        ++contents.count;
    }
    return contents;
}

}  // namespace

HttpAnswer series_page(const ServedFolder& served, const std::string& root_name, const ServedPlace& folder,
                       const RequestTarget& target, ServeCommands& commands,
                       const ServeCommands::IsReaderGone& is_reader_gone) {
    Progress progress;
    const auto files = series::find_series_files(std::vector{folder.path}, progress);
    const SeriesContents contents = files ? contents_of(served, *files) : SeriesContents();
    if (contents.count == 0) return refusal(k_no_series, std::string("The folder ") + series::k_no_series_files, target);
    if (contents.leads_out)
        return refusal(403, "Not everything below this folder may be shown, so it is not read as a series", target);
    const ServeCommands::Answer answer = commands.ask(
        {"series", folder.path, "--json"}, fmt::format("{:016x}", contents.version), contents.bytes, is_reader_gone);
    if (!answer->is_done()) return refusal_of(*answer, folder.path, k_no_series, target);
    if (target.has("json")) return output_answer(answer, "application/json");
    auto room = commands.room_for_page(answer->output.size(), is_reader_gone);
    if (!room) return busy(target);
    const Json series = parse_json(answer->output);
    if (!series.is_object()) return refusal(500, "The command's answer could not be read", target);
    std::string html = html_way(root_name, target.names) +
                       "<p><a href=\"./\">The files</a>. For scripts: <a href=\"?series&amp;json\">this report</a>. "
                       "<a href=\"?series&amp;refresh=30\">Follow it</a>, read again every 30 seconds.</p>\n" +
                       series_html(folder, series);
    return html_answer(html_page("Series", std::move(html), target.parameter("refresh")), *std::move(room));
}

namespace {

constexpr std::size_t k_max_ranks = 4096;  // maximum number of files, so that their names fit into a command
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
    const auto place_json = [](const ServedPlace& place) {
        return nlohmann::ordered_json{{"name", place.name},
                                      {"kind", place.is_folder() ? "folder" : "file"},
                                      {"size_bytes", place.size_bytes},
                                      {"modified_s", place.modified_s},
                                      {"link", link_to(place)}};
    };
    return json_text(json_array(places, place_json), 2) + "\n";
}

std::string row_html(const ServedPlace& place) {
    return fmt::format("<tr><td><a href=\"{}\">{}{}</a></td><td class=\"number\">{}</td><td>{}</td></tr>\n",
                       html_text(link_to(place)), html_name(place.name), place.is_folder() ? "/" : "",
                       place.is_folder() ? "" : format_bytes(place.size_bytes), files::format_modified(place.modified_s));
}

std::string shown_list(const std::vector<ServedPlace>& places) {
    if (places.empty()) return "<p>There are no snapshots here. Read this page again when one has been written.</p>\n";
    std::string html =
        "<table>\n<tr><th><a href=\"?sort=name\">name</a></th><th><a href=\"?sort=size\">size</a></th>"
        "<th><a href=\"?sort=time\">written</a></th></tr>\n";
    for (const ServedPlace& place : places) html += row_html(place);
    return html + "</table>\n";
}

/// Returns whether the contents of a folder look like a recorder's output: samples, or a folder named as theirs. Does not
/// look into subfolders.
bool looks_like_series(const std::vector<ServedPlace>& places) {
    return places.size() > 1 && std::ranges::any_of(places, [](const ServedPlace& place) {
               return place.is_folder() ? place.name == "series" : series::sample_in_path(place.name).why == "series";
           });
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
    const auto files = fleet::find_fleet_files(std::vector{folder.path}, "", progress);
    std::vector<std::string> words = {"fleet"};
    std::string version;
    std::uint64_t file_bytes = 0;
    for (const fleet::FleetFile& file : files ? *files : std::vector<fleet::FleetFile>()) {
        if (!served.may_show(file.path)) continue;
        words.push_back(file.path);
        version += version_with_companions(file.path);
        file_bytes += file.file_bytes;
    }
    if (words.size() == 1) return refusal(k_bad_files, std::string("The folder ") + fleet::k_no_fleet_files, target);
    if (words.size() > k_max_ranks)
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

}  // namespace snapviewer::serve
