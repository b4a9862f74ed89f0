#include "app/serve/file_pages.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "app/features/files/files_on_disk.h"
#include "app/features/save_picture/picture_spec.h"
#include "app/serve/answers.h"
#include "core/base/addresses.h"
#include "core/base/text.h"

namespace snapviewer::serve {
namespace {

constexpr std::int64_t k_max_pixels = std::int64_t{1} << 24;

std::vector<std::string> choices_of(const save_picture::PictureOption& option) {
    return option.one_of == nullptr ? std::vector<std::string>() : option.one_of();
}

std::string field_of(const save_picture::PictureOption& option, const std::string& value) {
    const std::string_view name = save_picture::name_in_links(option);
    std::string html = fmt::format("<label title=\"{}\">{} ", html_text(option.about), name);
    const std::vector<std::string> choices = choices_of(option);
    if (choices.empty()) {
        return html + fmt::format("<input name=\"{}\" value=\"{}\" placeholder=\"{}\"></label>\n", name, html_text(value),
                                  html_text(option.type_name));
    }
    html += fmt::format("<select name=\"{}\"><option></option>", name);
    for (const std::string& choice : choices)
        html += fmt::format("<option{}>{}</option>", choice == value ? " selected" : "", html_text(choice));
    return html + "</select></label>\n";
}

/// Formats a range for a link. Rounds outwards to whole numbers, because a picture shows nothing finer.
std::string range_text(double begin, double end) { return fmt::format("{:.0f}:{:.0f}", std::floor(begin), std::ceil(end)); }

/// Returns the parameters that are options of a picture.
save_picture::Parameters picture_parameters(const save_picture::Parameters& parameters) {
    save_picture::Parameters kept;
    for (const auto& [name, value] : parameters) {
        if (!value.empty() && save_picture::option_in_links(name) != nullptr) kept.emplace(name, value);
    }
    return kept;
}

/// Returns the HTML form fields for all options of a picture.
std::string picture_fields(const save_picture::Parameters& parameters) {
    std::string html;
    for (const save_picture::PictureOption& option : save_picture::picture_options()) {
        if (!option.is_in_links) continue;
        const auto given = parameters.find(std::string(save_picture::name_in_links(option)));
        html += field_of(option, given == parameters.end() ? "" : given->second);
    }
    return html;
}

}  // namespace

Result<save_picture::PictureSpec> picture_asked_for(const save_picture::Parameters& parameters) {
    Result<save_picture::PictureSpec> spec = save_picture::picture_of(parameters);
    if (!spec) return spec.error();
    const auto size = save_picture::parse_size(spec->size);
    if (size && std::int64_t{size->width_px} * size->height_px > k_max_pixels)
        return Error{ErrorCode::bad_query, "size: at most 16 million pixels are drawn here; snapviewer render draws more"};
    return spec;
}

std::string zoom_links(const save_picture::Parameters& parameters, const PictureWidth& width) {
    save_picture::Parameters next = picture_parameters(parameters);
    if (!next.contains("axis")) next["axis"] = width.steps > 0 ? "steps" : "time";
    const double whole = next["axis"] == "time" ? width.time_us : width.steps;
    if (whole <= 1) return "";
    const auto shown = save_picture::parse_view(next["view"]);
    const double begin = shown ? std::clamp(shown->view.x_begin, 0.0, whole) : 0.0;
    const double end = shown ? std::clamp(shown->view.x_end, begin, whole) : whole;
    const double part = end - begin;
    const auto link = [&](const char* words, double from, double to) {
        from = std::clamp(from, 0.0, whole);
        to = std::clamp(to, 0.0, whole);
        next["view"] = to - from < 1 ? range_text(from, from + 1) : range_text(from, to);
        return fmt::format("<a href=\"{}\">{}</a>\n", html_text(query_of(next)), words);
    };
    const double half = std::max(part / 2, 1.0);
    const double left = std::max(begin - half, 0.0);
    const double right = std::min(end + half, whole);
    return "<p>" + link("zoom in", begin + part / 4, end - part / 4) + link("zoom out", begin - half, end + half) +
           link("left", left, left + part) + link("right", right - part, right) + link("all of it", 0, whole) + "</p>\n";
}

namespace {

constexpr const char* k_json = "application/json";
constexpr const char* k_rows_on_page = "1000";
constexpr const char* k_seconds_of_query = "30";
constexpr const char* k_example_sql = "SELECT human(sum(size)), count(*) FROM allocations";
constexpr int k_bad_file = 422;
constexpr int k_bad_query = 400;

/// The fields of a device in `info --json` that a page needs. A missing field is 0.
struct ShownDevice {
    std::int64_t number = 0;
    PictureWidth width;
};

double number_at(const nlohmann::json& object, const char* key) {
    if (!object.is_object()) return 0;
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

std::vector<ShownDevice> devices_of(const nlohmann::json& info) {
    std::vector<ShownDevice> devices;
    if (!info.is_object() || !info.contains("devices")) return devices;
    for (const nlohmann::json& device : info["devices"]) {
        ShownDevice shown;
        shown.number = static_cast<std::int64_t>(number_at(device, "device"));
        shown.width.steps = number_at(device, "steps");
        if (device.is_object() && device.contains("recording"))
            shown.width.time_us = number_at(device["recording"], "seconds") * 1e6;
        devices.push_back(shown);
    }
    return devices;
}

/// Returns the requested device, or the only one. nullopt if the file has several and none is requested: the command then
/// chooses, and the page cannot know which.
std::optional<ShownDevice> chosen_device(const std::vector<ShownDevice>& devices, const std::string& asked) {
    const auto number = parse_number<std::int64_t>(asked);
    for (const ShownDevice& device : devices) {
        if (devices.size() == 1 || device.number == number) return device;
    }
    return std::nullopt;
}

std::string device_links(const std::vector<ShownDevice>& devices) {
    std::string html;
    for (const ShownDevice& device : devices) html += fmt::format("<a href=\"?device={0}\">device {0}</a>\n", device.number);
    return devices.size() > 1 ? "<p>" + html + "</p>\n" : "";
}

std::string picture_section(const RequestTarget& target, const std::vector<ShownDevice>& devices) {
    const std::string link = k_picture_name + query_of(picture_parameters(target.parameters));
    std::string html = "<h2 id=\"picture\">Picture</h2>\n" + device_links(devices);
    if (const auto device = chosen_device(devices, target.parameter("device")))
        html += zoom_links(target.parameters, device->width);
    html +=
        fmt::format("<p><a href=\"{0}\"><img src=\"{0}\" alt=\"Every allocation over time\"></a></p>\n", html_text(link));
    html += "<details><summary>Draw it differently</summary>\n<form method=\"get\" action=\"./\">\n" +
            picture_fields(target.parameters) + "<button>Draw</button>\n</form>\n</details>\n";
    return html;
}

std::string cell_html(const nlohmann::ordered_json& cell) {
    if (cell.is_null()) return "<td></td>";
    if (cell.is_string()) return "<td class=\"code\">" + html_text(cell.get_ref<const std::string&>()) + "</td>";
    return "<td class=\"number\">" + html_text(json_text(cell)) + "</td>";
}

/// Appends rows as a table. `lines` is the output of `query --format json`, with each row in its own line. Parses line by
/// line, because parsing a large answer as a whole takes several times its size.
void add_rows_table(std::string& html, std::string_view lines) {
    const std::size_t size_before = html.size();
    while (!lines.empty()) {
        std::string_view line = lines.substr(0, lines.find('\n'));
        lines.remove_prefix(std::min(lines.size(), line.size() + 1));
        if (!line.starts_with('{')) continue;
        line = line.substr(0, line.rfind('}') + 1);
        const nlohmann::ordered_json row = parse_ordered_json(line);
        if (html.size() == size_before) {
            html += "<table>\n<tr>";
            for (const auto& [column, cell] : row.items()) html += "<th>" + html_text(column) + "</th>";
            html += "</tr>\n";
        }
        html += "<tr>";
        for (const nlohmann::ordered_json& cell : row) html += cell_html(cell);
        html += "</tr>\n";
    }
    html += html.size() == size_before ? "<p>No rows.</p>\n" : "</table>\n";
}

/// Returns the link to the web program, which opens the file and shows the requested view.
std::string link_to_page(const RequestTarget& target) {
    std::string up, file;
    for (const std::string& name : target.names) {
        up += "../";
        file += escaped_for_link(name) + "/";
    }
    file = "../" + file + escaped_for_link(target.names.empty() ? "" : target.names.back());
    const std::string place = query_of(picture_parameters(target.parameters));
    return up + ".page/" + query_of({{"file", file}}) + (place.empty() ? "" : "#" + place.substr(1));
}

}  // namespace

ServeCommands::Answer FilePages::ask(std::vector<std::string> arguments) const {
    return commands_.ask(std::move(arguments), file_.version, file_.size_bytes, is_reader_gone_);
}

std::vector<std::string> FilePages::with_device(std::vector<std::string> arguments) const {
    const std::string device = target_.parameter("device");
    if (!device.empty()) arguments.push_back("--device=" + device);
    return arguments;
}

std::vector<std::string> FilePages::shown_names() const {
    return {target_.names.begin(), target_.names.begin() + static_cast<std::ptrdiff_t>(file_.used_names)};
}

HttpAnswer FilePages::json() const {
    const bool wants_info = target_.parameter("json") == "info";
    const ServeCommands::Answer answer =
        wants_info ? ask({"info", file_.path, "--json"}) : ask(with_device({"report", file_.path, "--json"}));
    return answer->is_done() ? output_answer(answer, k_json) : refusal_of(*answer, file_.path, k_bad_file, target_);
}

HttpAnswer FilePages::page(const std::string& root_name) const {
    if (target_.has("json")) return json();
    ServeCommands::Answer info = ask({"info", file_.path, "--json"});
    if (!info->is_done()) return refusal_of(*info, file_.path, k_bad_file, target_);
    auto room = commands_.room_for_page(info->output.size(), is_reader_gone_);
    if (!room) return busy(target_);
    nlohmann::json facts = parse_json(info->output);
    const std::vector<ShownDevice> devices = devices_of(facts);
    const bool has_icicles = facts.is_object() && facts.contains("icicles") && !facts["icicles"].empty();
    // Releases all shared memory before the next command waits for its turn, because other pages may be waiting for it.
    facts = nullptr;
    info = nullptr;
    room = std::nullopt;

    const ServeCommands::Answer report =
        devices.empty() ? ask({"info", file_.path}) : ask(with_device({"report", file_.path}));
    room = commands_.room_for_page(report->output.size(), is_reader_gone_);
    if (!room) return busy(target_);
    const std::string text = report->is_done() ? report->output : message_of(*report, file_.path);

    const std::string name = escaped_for_link(file_.name);
    std::string html = html_way(root_name, shown_names());
    html += fmt::format("<p>{}, {}.", format_bytes(file_.size_bytes), files::format_modified(file_.modified_s));
    if (file_.kind == ServedPlace::Kind::file)
        html += fmt::format(" <a href=\"{0}\">Download</a>, <a href=\"{0}?zstd\">packed with zstd</a>.", name);
    html += " For scripts: <a href=\"?json=info\">what it holds</a>";
    html += devices.empty() ? ".</p>\n" : ", <a href=\"?json\">the report</a>.</p>\n";
    if (has_page_ && file_.kind == ServedPlace::Kind::file)
        html += fmt::format("<p><a class=\"main\" href=\"{}\">Open it in the viewer</a>, in this browser.</p>\n",
                            html_text(link_to_page(target_)));
    if (!devices.empty() || has_icicles) html += picture_section(target_, devices);
    html += fmt::format("<h2 id=\"report\">{}</h2>\n<pre>{}</pre>\n", devices.empty() ? "What it holds" : "Report",
                        html_text(text));
    html += "<h2 id=\"sql\">SQL</h2>\n" + query_form();
    return html_answer(html_page(file_.name, std::move(html), target_.parameter("refresh")), *std::move(room));
}

HttpAnswer FilePages::picture() const {
    Result<save_picture::PictureSpec> spec = picture_asked_for(target_.parameters);
    if (!spec) return refusal(400, spec.error().message, target_);
    spec->file = file_.path;
    const ServeCommands::Answer answer = commands_.draw(*spec, file_.version, file_.size_bytes, is_reader_gone_);
    if (!answer->is_done()) return refusal_of(*answer, file_.path, k_bad_file, target_);
    return output_answer(answer, "image/png");
}

std::string FilePages::query_form() const {
    const std::string sql = target_.has("sql") ? target_.parameter("sql") : k_example_sql;
    const std::string device = target_.parameter("device");
    return fmt::format(
        "<form method=\"get\" action=\"{}\">\n<p><textarea name=\"sql\" rows=\"6\" aria-label=\"SQL\">\n{}</textarea></p>\n"
        "<p><label>device <input name=\"device\" value=\"{}\" size=\"4\"></label> <button>Run</button></p>\n</form>\n",
        k_query_name, html_text(sql), html_text(device));
}

ServeCommands::Answer FilePages::ask_rows() const {
    std::vector<std::string> words = with_device({"query", "--time-limit", k_seconds_of_query});
    if (target_.has("csv"))
        words.insert(words.end(), {"--format", "csv", "--safe-csv"});
    else
        words.insert(words.end(), {"--format", "json"});
    if (!target_.has("csv") && !target_.has("json")) words.insert(words.end(), {"--limit", k_rows_on_page});
    words.insert(words.end(), {"--", file_.path, target_.parameter("sql")});
    return ask(words);
}

HttpAnswer FilePages::query(const std::string& root_name) const {
    const bool has_question = !target_.parameter("sql").empty();
    const ServeCommands::Answer answer = has_question ? ask_rows() : std::make_shared<const ChildAnswer>();
    if (target_.has("json") || target_.has("csv")) {
        if (!has_question) return refusal(400, "There is no question: ask with ?sql=SELECT...", target_);
        if (!answer->is_done()) return refusal_of(*answer, file_.path, k_bad_query, target_);
        return output_answer(answer, target_.has("json") ? k_json : "text/csv; charset=utf-8");
    }
    auto room = commands_.room_for_page(answer->output.size(), is_reader_gone_);
    if (!room) return busy(target_);
    std::string html = html_way(root_name, shown_names()) + "<p><a href=\"./\">Picture and report</a></p>\n" + query_form();
    html.reserve(html.size() + 2 * answer->output.size());  // a growing string leaves its smaller copies in the heap
    if (has_question) add_rows(html, *answer);
    HttpAnswer page = html_answer(html_page(file_.name, std::move(html), target_.parameter("refresh")), *std::move(room));
    if (!answer->is_done()) page.status = refusal_of(*answer, file_.path, k_bad_query, target_).status;
    return page;
}

void FilePages::add_rows(std::string& html, const ChildAnswer& answer) const {
    const std::string message = html_text(message_of(answer, file_.path));
    if (!answer.is_done()) {
        html += fmt::format("<pre class=\"error\">{}</pre>\n", message);
        return;
    }
    save_picture::Parameters asked = {{"sql", target_.parameter("sql")}};
    if (target_.has("device")) asked["device"] = target_.parameter("device");
    const std::string link = html_text(k_query_name + query_of(asked));
    html += fmt::format("<pre>{}</pre>\n", message);
    add_rows_table(html, answer.output);
    html += fmt::format("<p>All rows: <a href=\"{0}&amp;csv\">CSV</a>, <a href=\"{0}&amp;json\">JSON</a></p>\n", link);
}

}  // namespace snapviewer::serve
