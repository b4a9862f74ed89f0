#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "app/serve/child_answer.h"
#include "app/serve/commands.h"
#include "app/serve/http_peer.h"
#include "core/base/request_target.h"

/// The forms in which questions are answered.
namespace snapviewer {

HttpAnswer html_answer(std::string html);
/// A page that gives `room` back once it is sent.
HttpAnswer html_answer(std::string html, PageRoom room);
HttpAnswer json_answer(std::string json);
/// The output of a command, without a copy of it.
HttpAnswer output_answer(const std::shared_ptr<const ChildAnswer>& answer, std::string type);
/// The answer if a page got no memory.
HttpAnswer busy(const RequestTarget& target);
/// One sentence: as a page, or as {"error": ...} where `parameters` ask for JSON.
HttpAnswer refusal(int status, std::string_view sentence, const RequestTarget& target);
/// The same for what the reader may not even know the name of.
HttpAnswer not_found();
/// Leads to another address, relative to the one asked for.
HttpAnswer redirection(const std::string& link);

/// What a command said on stderr, without its own name and that of the file.
std::string message_of(const ChildAnswer& answer, const std::string& path);
/// Of a command that did not answer; `at_fault` is the status where the file or the question is.
HttpAnswer refusal_of(const ChildAnswer& answer, const std::string& path, int at_fault, const RequestTarget& target);

}  // namespace snapviewer
