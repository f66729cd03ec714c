// SPDX-License-Identifier: Apache-2.0
//
// cxx WAY: C++ deaths.

#include <algorithm>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define KEEP __attribute__((noinline))

namespace corpus {

int *volatile nowhere;
volatile int zero;

struct Shape {
    virtual ~Shape() = default;
    virtual int area(int scale) = 0;
};

struct Square final : Shape {
    int side = 2;
    KEEP int area(int scale) override {
        *nowhere = side * scale;
        return side * side;
    }
};

KEEP int measure(Shape &shape) {
    return shape.area(3) + zero;
}

KEEP void virtual_call() {
    Square square;
    zero = measure(square);
}

KEEP void thrower(int value) {
    if (value >= 0) throw std::out_of_range("no such item: " + std::to_string(value));
    zero = zero + 1;
}

struct Guard {
    KEEP ~Guard() {
        zero = zero + 1;
    }
};

KEEP void uncaught() {
    Guard guard;
    thrower(zero + 7);
}

KEEP void forbidden() noexcept {
    Guard guard;
    thrower(zero);
}

KEEP void rethrow() {
    try {
        thrower(zero);
    } catch (const std::exception &) {
        Guard guard;
        throw;
    }
}

KEEP void comparator() {
    std::vector<int> values{5, 3, 1, 4};
    std::sort(values.begin(), values.end(), [](int left, int right) {
        *nowhere = left;
        return left < right;
    });
    zero = values[0];
}

template <typename Value> KEEP void templated(const std::function<void(Value)> &body, Value value) {
    body(value);
    zero = zero + 1;
}

KEEP void function_object() {
    templated<long>([](long value) { *nowhere = static_cast<int>(value); }, 9);
}

struct Dying {
    KEEP ~Dying() {
        *nowhere = 1;
        zero = zero + 1;
    }
};

// The handler of an exception is looked for, and the destructors on the way are run.
KEEP void destructor_while_unwinding() {
    try {
        Dying dying;
        thrower(zero);
    } catch (const std::exception &error) {
        std::puts(error.what());
    }
}

KEEP void in_thread() {
    std::thread([] { virtual_call(); }).join();
}

struct Way {
    const char *name;
    void (*go)();
};

const Way ways[] = {
    {"virtual-call", virtual_call}, {"uncaught", uncaught},
    {"noexcept", forbidden},        {"rethrow", rethrow},
    {"comparator", comparator},     {"function-object", function_object},
    {"thread", in_thread},          {"destructor", destructor_while_unwinding},
};

}  // namespace corpus

int main(int count, char **arguments) {
    for (const corpus::Way &way : corpus::ways) {
        if (count > 1 && std::string(arguments[1]) == way.name) way.go();
    }
    return 2;
}
