#include "app/serve/answers.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "app/serve/html.h"
#include "core/base/json_text.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

constexpr int k_status_at_fault = 1;
constexpr int k_status_wrong_usage = 2;
constexpr const char* k_not_answered = "The command could not answer: ";

void drop_beginning(std::string_view& text, std::string_view beginning) {
    if (text.starts_with(beginning)) text.remove_prefix(beginning.size());
}

std::pair<int, std::string> why_unanswered(const ChildAnswer& answer, const std::string& message, int at_fault) {
    switch (answer.outcome) {
        case ChildAnswer::Outcome::stopped: return {503, "The answer is not wanted any more, or snapviewer serve is ending"};
        case ChildAnswer::Outcome::too_slow:
            return {503, "The answer took too long. Ask again when fewer others ask, or ask on the machine itself"};
        case ChildAnswer::Outcome::too_long:
            return {413, "The answer is longer than 64 MiB. Ask for less, or ask on the machine itself"};
        case ChildAnswer::Outcome::no_program: return {500, k_not_answered + message};
        case ChildAnswer::Outcome::ended: break;
    }
    if (answer.status == k_status_at_fault) return {at_fault, message};
    if (answer.status == k_status_wrong_usage) return {400, message};
    return {500, k_not_answered + (message.empty() ? fmt::format("it ended with status {}", answer.status) : message)};
}

}  // namespace

HttpAnswer html_answer(std::string html) { return {.body = std::move(html)}; }

HttpAnswer html_answer(std::string html, PageRoom room) {
    if (room != nullptr) room->shrink_to(html.size());
    HttpAnswer answer = html_answer(std::move(html));
    answer.room = std::move(room);
    return answer;
}

HttpAnswer json_answer(std::string json) { return {.type = "application/json", .body = std::move(json)}; }

HttpAnswer output_answer(const std::shared_ptr<const ChildAnswer>& answer, std::string type) {
    return {.type = std::move(type), .shared_body = {answer, &answer->output}};
}

HttpAnswer busy(const RequestTarget& target) {
    return refusal(503, "Other large pages take all memory. Ask again when fewer others ask", target);
}

HttpAnswer refusal(int status, std::string_view sentence, const RequestTarget& target) {
    HttpAnswer answer;
    if (target.has("json")) {
        const nlohmann::ordered_json json = {{"error", sentence}};
        answer = json_answer(json_text(json) + "\n");
    } else {
        answer =
            html_answer(html_page("Not shown", fmt::format("<pre class=\"error\">{}</pre>\n", html_text(sentence)), ""));
    }
    answer.status = status;
    return answer;
}

HttpAnswer not_found() { return {.status = 404, .type = "text/plain; charset=utf-8", .body = "Not found\n"}; }

HttpAnswer redirection(const std::string& link) {
    return {.status = 302, .type = "text/plain; charset=utf-8", .headers = {{"Location", link}}, .body = link + "\n"};
}

std::string message_of(const ChildAnswer& answer, const std::string& path) {
    std::string message;
    for (std::string_view rest = answer.messages; !rest.empty();) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        drop_beginning(line, "snapviewer: ");
        drop_beginning(line, terminal_text(path) + ": ");
        if (!line.empty()) message += (message.empty() ? "" : "\n") + std::string(line);
    }
    return message;
}

HttpAnswer refusal_of(const ChildAnswer& answer, const std::string& path, int at_fault, const RequestTarget& target) {
    const auto [status, sentence] = why_unanswered(answer, message_of(answer, path), at_fault);
    return refusal(status, sentence, target);
}

}  // namespace snapviewer
