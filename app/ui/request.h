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

/// What can be asked for: a plain struct that says itself in a few words, as the report of a crash does: "open oom.pickle".
template <typename Asked>
concept Askable = requires(const Asked& asked) {
    { asked.words() } -> std::convertible_to<std::string>;
};

/// Any of them. It declares no list of types: a feature's own stand in its folder.
class Request {
public:
    template <typename Asked>
    requires(!std::same_as<Asked, Request> && Askable<Asked>) Request(Asked asked)
        : asked_(std::move(asked)),
          words_([](const std::any& any) { return std::string(std::any_cast<Asked>(&any)->words()); }) {}

    std::string words() const { return words_(asked_); }
    std::type_index type() const { return asked_.type(); }
    /// What was asked, if it is of that type.
    template <typename Asked>
    const Asked* get_if() const {
        return std::any_cast<Asked>(&asked_);
    }

private:
    std::any asked_;
    std::string (*words_)(const std::any&);
};

/// What panels and keys ask for during a frame, in their order; the shell carries it out when the frame is built.
class Requests {
public:
    void ask(Request request) { asked_.push_back(std::move(request)); }
    /// What was asked so far; from now on nothing was.
    std::vector<Request> take() { return std::exchange(asked_, {}); }

private:
    std::vector<Request> asked_;
};

/// Which handler carries out which request. Two features may handle the same request: both are called, in the order in
/// which they registered.
///
///     handlers.on<OpenSource>([this](const OpenSource& asked) { open(asked.place); });
class RequestHandlers {
public:
    template <Askable Asked, typename Handler>
    void on(Handler handler) {
        handlers_[typeid(Asked)].push_back(
            [handler = std::move(handler)](const Request& request) { handler(*request.get_if<Asked>()); });
    }
    /// False where nobody takes it, which is a mistake of this program.
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
