#pragma once

#include <any>
#include <concepts>
#include <functional>
#include <string>
#include <typeindex>
#include <unordered_map>
#include <utility>
#include <vector>

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

/// The requests that panels and shortcuts made during a frame, in order. The shell handles them after the frame is built.
class Requests {
public:
    void ask(Request request) { asked_.push_back(std::move(request)); }
    /// Returns the requests so far and clears the list.
    std::vector<Request> take() { return std::exchange(asked_, {}); }

private:
    std::vector<Request> asked_;
};

/// Registry of request handlers by type. Two features may handle the same request: both handlers are called, in the order of
/// their registration.
///
///     handlers.on<OpenSource>([this](const OpenSource& asked) { open(asked.place); });
class RequestHandlers {
public:
    template <Askable Asked, typename Handler>
    void on(Handler handler) {
        handlers_[typeid(Asked)].push_back(
            [handler = std::move(handler)](const Request& request) { handler(*request.get_if<Asked>()); });
    }
    /// Calls the handlers of a request. Returns false if it has none, which is a bug in this program.
    bool carry_out(const Request& request) const {
        const auto found = handlers_.find(request.type());
        if (found == handlers_.end()) return false;
        for (const auto& handler : found->second) handler(request);
        return true;
    }

private:
    std::unordered_map<std::type_index, std::vector<std::function<void(const Request&)>>> handlers_;
};

}  // namespace snapviewer
