// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import Dispatch
import EpitaphCapture
import Glibc

/// The one that dies is request 617 where there are many, and 1 where there is one.
struct ScopeWays: Sendable {
    var all: [String: @Sendable () async -> Void] {
        [
            "thousand": { await thousand(dying: 617) },
            "none-among-thousand": { await thousand(dying: nil) },
            "plain": { await inScope(1) { dieInScope() } },
            "after-await": { await inScope(1, dieAfterHops) },
            "child-of-group": { await inScope(1, dieInGroup) },
            "child-of-let": { await inScope(1, dieInLet) },
            "child-with-other-value": { await inScope(1, dieBesideOtherValue) },
            "grandchild": { await inScope(1) { await dieInGroup(then: dieInLet) } },
            "group-body": { await inGroupBody() },
            "unstructured": { await inScope(1) { await Task { dieInScope() }.value } },
            "outlived": { await outlived() },
            "detached": { await inScope(1) { await Task.detached { dieInScope() }.value } },
            "ended": { await ended() },
            "nested": { await nested() },
            "in-task-without-await": { withoutAwait() },
            "main-actor": { await onMainActor() },
            "actor": { await inScope(1) { await Keeper().hold() } },
            "isolated-deinit": { await inScope(1) { await Keeper().release() } },
            "thread-beside": { await threadBeside() },
            "too-many": { await tooMany() },
            "names": { await named() },
            "too-much": { await tooMuch() },
            "live": { await live() },
            "unproved": { await unproved() },
            "disproved": { await disproved() },
        ]
    }

    func inScope(_ number: Int, _ body: () async -> Void) async {
        let attributes: [String: any Epitaph.ValueConvertible] = [
            "request": "request-\(number)", "number": Int64(number), "ratio": 0.5,
            "is-admin": true,
        ]
        await Epitaph.scope(attributes) {
            Epitaph.note(
                "began \(number)", .debug, category: "request",
                attributes: ["number": Int64(number)], type: "navigation")
            await body()
        }
    }

    /// All are in their scopes, and have changed threads, before one of them dies.
    private func thousand(dying: Int?) async {
        let entered = Counter()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    await inScope(number) {
                        await hop()
                        Epitaph.note("hopped \(number)", category: "request")
                        await entered.add()
                        while await entered.count < 1_000 { await Task.yield() }
                        await hop()
                        if number == dying { dieInScope() }
                        while true { await Task.yield() }
                    }
                }
            }
            if dying == nil {
                while await entered.count < 1_000 { await Task.yield() }
                await Task.detached { dieInScope() }.value
            }
        }
    }

    private func hop() async {
        for _ in 0..<20 { await Task.yield() }
    }

    private func dieAfterHops() async {
        await hop()
        try? await Task.sleep(nanoseconds: 1_000_000)
        dieInScope()
    }

    private func dieInGroup() async {
        await dieInGroup { dieInScope() }
    }

    private func dieInGroup(then body: @escaping @Sendable () async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await hop()
                await body()
            }
        }
    }

    private func dieInLet() async {
        async let death: Void = dieAfterHops()
        await death
    }

    private func dieBesideOtherValue() async {
        await Other.$value.withValue(1) {
            async let death: Void = Other.$value.withValue(2) { await dieAfterHops() }
            await death
        }
    }

    private func inGroupBody() async {
        await withTaskGroup(of: Void.self) { group in
            Epitaph.scope(["request": "request-1"]) {
                group.addTask { await dieAfterHops() }
                sleep(30)
            }
        }
    }

    /// A task goes on after the scope that it was made in.
    private func outlived() async {
        let task = Mailbox()
        await inScope(1) {
            await task.put(Task { await dieAfterHops() })
        }
        await inScope(2) { await task.wait() }
    }

    private func ended() async {
        await inScope(1) { await hop() }
        dieInScope()
    }

    private func nested() async {
        await inScope(1) {
            await Epitaph.scope(["request": "inner", "phase": "query"]) {
                Epitaph.note("in the inner")
                await hop()
                for rows in 1...300 {
                    try? Epitaph.TaskScope.current?.setAttribute("rows", to: rows)
                }
                dieInScope()
            }
        }
    }

    private func withoutAwait() {
        Epitaph.scope(["request": "request-1"]) { dieInScope() }
    }

    private func onMainActor() async {
        await Task { @MainActor in
            await Epitaph.scope(["request": "request-1"]) {
                await Task.yield()
                dieInScope()
            }
        }.value
    }

    /// Of no task.
    func inThread() {
        DispatchQueue(label: "plain").async {
            Epitaph.scope(["request": "outer"]) {
                Epitaph.scope(["request": "request-1"]) {
                    Epitaph.scope([:]) {}; dieInScope()
                }
            }
        }
    }

    /// A thread that has no scope, while a task and another thread have one.
    private func threadBeside() async {
        await inScope(1) {
            let isIn = DispatchSemaphore(value: 0)
            DispatchQueue(label: "other").async {
                Epitaph.scope(["request": "other"]) {
                    isIn.signal()
                    sleep(30)
                }
            }
            isIn.wait()
            DispatchQueue(label: "dying").async { dieInScope() }
            sleep(30)
        }
    }

    /// A task with a name that something was added to, beside one without a name and a queue.
    private func named() async {
        Epitaph.scope([:]) {}
        let isIn = DispatchSemaphore(value: 0)
        DispatchQueue(label: "com.example.waiting").async {
            isIn.signal()
            sleep(30)
        }
        isIn.wait()
        await withTaskGroup(of: Void.self) { group in
            group.addTask(name: "größe 7") {
                await hop()
                await withTaskCancellationHandler {
                    async let child: Void = Task.sleep(nanoseconds: 30_000_000_000)
                    Other.$value.withValue(1) { dieInScope() }
                    try? await child
                } onCancel: {
                }
            }
        }
    }

    private func tooMany() async {
        await within(4_096, scopes: { dieInScope() })
    }

    private func within(_ count: Int, scopes body: @escaping @Sendable () -> Void) async {
        let entered = Counter()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    await inScope(number) {
                        await entered.add()
                        while true { try? await Task.sleep(nanoseconds: 1_000_000_000) }
                    }
                }
            }
            while await entered.count < count { try? await Task.sleep(nanoseconds: 1_000_000) }
            await inScope(count) { body() }
        }
    }

    private func tooMuch() async {
        let long = String(repeating: "é", count: 500_000)
        Epitaph.scope(["a": "first", "b": long, "c": 3]) {
            try? Epitaph.TaskScope.current?.setAttribute("a", to: "second")
            Epitaph.note("long", attributes: ["a": 1, "b": long, "c": 3])
            dieInScope()
        }
    }

    /// The first scope begins while no thread can be started: where scopes are is not tried out.
    private func unproved() async {
        var own = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &own)
        var none = own
        none.rlim_cur = rlim_t(mappedBytes + (1 << 20))
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &none)
        Epitaph.scope([:]) {}
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &own)
        await inScope(1) { dieInScope() }
    }

    /// The first number of /proc/self/statm, proc(5): this and a little more is no room for a
    /// stack.
    private var mappedBytes: Int {
        var text = [CChar](repeating: 0, count: 128)
        let file = open("/proc/self/statm", O_RDONLY)
        defer { close(file) }
        let count = read(file, &text, text.count - 1)
        return count > 0 ? atol(text) * sysconf(Int32(_SC_PAGESIZE)) : 0
    }

    /// A scope is found to be in another place than the trials said.
    private func disproved() async {
        await inScope(1) {
            epitaph_task_scope_check(0, 0x1_ffff)
            dieInScope()
        }
    }

    private func live() async {
        await inScope(1) {
            await hop()
            _ = try? Epitaph.writeLiveDump()
        }
        exit(0)
    }
}

enum Other {
    @TaskLocal static var value = 0
}

actor Counter {
    private(set) var count = 0
    func add() { count += 1 }
}

actor Mailbox {
    private var task: Task<Void, Never>?
    func put(_ task: Task<Void, Never>) { self.task = task }
    func wait() async { await task?.value }
}

actor Keeper {
    func hold() async {
        await Task.yield()
        dieInScope()
    }

    func release() async {
        let dying = Dying(self)
        await Task.detached { _ = dying }.value
    }
}

/// Is released on whatever thread it is on; its end runs on the actor.
@MainActor final class Dying {
    private let keeper: Keeper
    nonisolated init(_ keeper: Keeper) { self.keeper = keeper }
    isolated deinit { dieInScope() }
}
