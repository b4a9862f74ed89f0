#include "app/cli/check_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace snapviewer {
namespace {

/// Escapes text for XML elements and attribute values. Control characters, which XML cannot contain, are spelled out.
std::string xml_text(std::string_view text) {
    std::string out;
    for (const char c : terminal_text(text)) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            default: out += c;
        }
    }
    return out;
}

/// Escapes text for Markdown, so that it appears unchanged; also inside a table cell.
std::string markdown_text(std::string_view text) {
    constexpr std::string_view k_special = "\\`*_[]<>|#~&";
    std::string out;
    for (const char c : terminal_text(text)) {
        if (k_special.find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

/// Returns "max-peak", or "max-peak, device 1" if the limit belongs to one of several devices.
std::string name_of(const CheckedLimit& limit) {
    return limit.device.empty() ? limit.name : limit.name + ", " + limit.device;
}

std::size_t count_of(const std::vector<CheckedLimit>& checked, LimitOutcome outcome) {
    return static_cast<std::size_t>(std::ranges::count(checked, outcome, &CheckedLimit::outcome));
}

/// Returns the JUnit element for a broken or unknown limit, "" for a limit that is kept.
std::string junit_outcome(const CheckedLimit& limit) {
    if (limit.outcome == LimitOutcome::within) return "";
    const char* element = limit.outcome == LimitOutcome::broken ? "failure" : "error";
    std::string causes;
    for (const std::string& cause : limit.causes) causes += xml_text(cause) + "\n";
    return fmt::format("      <{0} message=\"{1}\">{2}</{0}>\n", element, xml_text(limit.sentence), causes);
}

}  // namespace

std::string check_text(const std::vector<CheckedLimit>& checked) {
    std::string text;
    for (const CheckedLimit& limit : checked) {
        text +=
            fmt::format("{}: {}: {}\n", limit_outcome_name(limit.outcome), name_of(limit), terminal_text(limit.sentence));
        for (const std::string& cause : limit.causes) text += "    " + terminal_text(cause) + "\n";
    }
    return text;
}

std::string check_markdown(std::string_view file, const std::vector<CheckedLimit>& checked) {
    std::string text =
        fmt::format("### GPU memory of {}\n\n| limit | outcome | |\n| --- | --- | --- |\n", markdown_text(file));
    for (const CheckedLimit& limit : checked)
        text += fmt::format("| {} | {} | {} |\n", name_of(limit), limit_outcome_name(limit.outcome),
                            markdown_text(limit.sentence));
    for (const CheckedLimit& limit : checked) {
        if (limit.causes.empty()) continue;
        text += fmt::format("\nLargest contributions to {}:\n\n", name_of(limit));
        for (const std::string& cause : limit.causes) text += "- " + markdown_text(cause) + "\n";
    }
    return text;
}

std::string check_junit(std::string_view file, const std::vector<CheckedLimit>& checked) {
    std::string text = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
        "  <testsuite name=\"snapviewer check\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n",
        checked.size(), count_of(checked, LimitOutcome::broken), count_of(checked, LimitOutcome::unknown));
    for (const CheckedLimit& limit : checked) {
        text += fmt::format(
            "    <testcase classname=\"{}\" name=\"{}\">\n{}      <system-out>{}</system-out>\n    </testcase>\n",
            xml_text(file), name_of(limit), junit_outcome(limit), xml_text(limit.sentence));
    }
    return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace snapviewer
