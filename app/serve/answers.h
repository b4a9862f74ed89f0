#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "app/serve/child_answer.h"
#include "app/serve/commands.h"
#include "app/serve/http_peer.h"
#include "core/base/addresses.h"

/// Constructors for the answers of the server.
namespace snapviewer {

HttpAnswer html_answer(std::string html);
/// Returns a page that releases its memory `room` once it has been sent.
HttpAnswer html_answer(std::string html, PageRoom room);
HttpAnswer json_answer(std::string json);
/// Returns the output of a command without copying it.
HttpAnswer output_answer(const std::shared_ptr<const ChildAnswer>& answer, std::string type);
/// Returns the answer for a page that got no memory.
HttpAnswer busy(const RequestTarget& target);
/// Returns an error: an HTML page with the sentence, or {"error": ...} if the target's parameters ask for JSON.
HttpAnswer refusal(int status, std::string_view sentence, const RequestTarget& target);
/// Returns the error 404. Used for every target that the reader must not learn anything about.
HttpAnswer not_found();
/// Redirects to another address, relative to the requested one.
HttpAnswer redirection(const std::string& link);

/// Returns the stderr output of a command without the names of the program and of the file.
std::string message_of(const ChildAnswer& answer, const std::string& path);
/// Returns the error for a command that failed. `at_fault` is the HTTP status if the file or the request is at fault.
HttpAnswer refusal_of(const ChildAnswer& answer, const std::string& path, int at_fault, const RequestTarget& target);

}  // namespace snapviewer
