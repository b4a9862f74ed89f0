#pragma once

#include <cstdint>
#include <span>

#include "core/base/result.h"
#include "render/gl/name.h"

namespace snapviewer::gl {

/// A linked pair of vertex and fragment shader.
class Program {
public:
    /// Sources need not be null-terminated; `fragment_rest`, if any, goes on where `fragment` ends. Fails with
    /// ErrorCode::environment and the driver's words.
    static Result<Program> link(std::span<const unsigned char> vertex, std::span<const unsigned char> fragment,
                                std::span<const unsigned char> fragment_rest = {});

    void use() const;
    /// -1, which GL ignores, if the linker dropped the uniform.
    std::int32_t uniform(const char* name) const;

private:
    explicit Program(ProgramName name) : name_(std::move(name)) {}
    ProgramName name_;
};

}  // namespace snapviewer::gl
