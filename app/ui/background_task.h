#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "app/ui/sandboxed.h"
#include "core/base/context.h"
#include "core/base/job.h"
#include "core/base/result.h"

namespace snapviewer {

/// Work of a feature on another thread: in the sandbox, charged to a memory budget, and with every exception turned into an
/// error.
///
///     task_.start(document->snapshot->read_bytes, [document](Progress&) { return make_rows(*document); });
///     ...
///     if (auto rows = task_.take()) ...  // every frame; a Result<Rows>
///
/// Work that must follow an input is started with follow(), which does nothing while the input is the same. The previous
/// result stays with the owner until the next one arrives. `Input` needs operator==. All members are for the thread that
/// owns the task; only the destructor waits.
template <typename T, typename Input = std::monostate>
class BackgroundTask {
public:
    /// Starts `make`, which takes a Progress& and returns a T or a Result<T>. Work that still runs is stopped and its result
    /// dropped. `read_bytes` is the size of the files behind the input after unpacking, which the memory budget depends on;
    /// 0 if `make` opens the files itself, which charges them.
    template <typename Make>
    void start(std::uint64_t read_bytes, Make make) {
        job_.start(sandboxed(read_bytes, std::move(make), SandboxNeeds{}));
    }
    /// Like start(), for work that writes a file at a path that the user chose. The sandbox is not entered, because it
    /// forbids writing.
    template <typename Make>
    void start_writing(std::uint64_t read_bytes, Make make) {
        job_.start(sandboxed(read_bytes, std::move(make), std::nullopt));
    }
    /// Starts `make` as start() does, unless `input` equals that of the last call. Returns true if it started.
    template <typename Make>
    bool follow(const Input& input, std::uint64_t read_bytes, Make make) {
        if (input_ == input) return false;
        input_ = input;
        start(read_bytes, std::move(make));
        return true;
    }
    /// The input of the last follow(); nullopt if there was none since discard().
    const std::optional<Input>& input() const { return input_; }
    /// Stops the work, drops its result, and forgets the input, so that the next follow() starts in any case.
    void discard() {
        job_.discard();
        input_.reset();
    }
    /// Asks the work to stop; take() returns its result, which is mostly ErrorCode::cancelled.
    void stop() { job_.stop(); }

    /// Returns the result of the work that was started last, once; nullopt while it runs.
    std::optional<Result<T>> take() { return job_.take(); }
    /// True if take() will return a result later or now.
    bool is_busy() const { return job_.is_busy(); }
    /// True if the next take() returns a result.
    bool is_ready() const { return job_.is_ready(); }
    /// Progress of the running work. Precondition: is_busy().
    const Progress& progress() const { return job_.progress(); }
    /// Time in ms since the running work started; 0 if no work is running.
    double elapsed_ms() const { return job_.elapsed_ms(); }

private:
    template <typename Make>
    static typename Job<Result<T>>::Work sandboxed(std::uint64_t read_bytes, Make make, std::optional<SandboxNeeds> needs) {
        // Job needs a function that can be copied, and `make` may hold what cannot.
        auto shared = std::make_shared<Make>(std::move(make));
        return [read_bytes, shared = std::move(shared), needs](Progress& progress) -> Result<T> {
            if (needs) enter_sandbox_here(*needs);
            auto made = caught([&] {
                if (read_bytes > 0) progress.budget().add_file(read_bytes);
                return (*shared)(progress);
            });
            if constexpr (std::is_same_v<decltype(made), Result<Result<T>>>) {
                if (!made) return made.error();
                return *std::move(made);
            } else {
                return made;
            }
        };
    }

    Job<Result<T>> job_;
    std::optional<Input> input_;
};

}  // namespace snapviewer
