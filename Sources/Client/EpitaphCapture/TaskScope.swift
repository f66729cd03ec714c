// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames
import Synchronization

extension Epitaph {
    /// Attributes and breadcrumbs of one piece of work, such as a request. Created by
    /// `Epitaph.scope`. It exists until that call returns and all tasks started in it have ended.
    public final class TaskScope: Sendable {
        let token: UInt64
        private let parent: TaskScope?

        fileprivate init(
            _ attributes: [String: any ValueConvertible], inside parent: TaskScope?, isInTask: Bool
        ) {
            self.parent = parent
            let outer = parent?.token ?? (isInTask ? 0 : epitaph_thread_scope())
            token = AttributeList.withPointer(attributes) { epitaph_scope_make(outer, $0, $1) }
        }

        deinit {
            epitaph_scope_free(token)
        }

        /// The innermost scope of the running code; nil outside of any scope.
        public static var current: TaskScope? { ScopeReference.current.scope }

        /// The token of the scope that a crash of the calling code would be reported with: that of
        /// its task or, outside of tasks, of its thread. 0 for none.
        package static var tokenOfCaller: UInt64 {
            RunningTask.address == 0 ? epitaph_thread_scope() : ScopeReference.current.token
        }

        /// Sets or replaces an attribute of this scope. From any thread.
        ///
        /// - Parameters:
        ///   - name: 1 to 255 bytes.
        ///   - value: all attributes of a scope share 1,720 bytes: each needs 4, its name, and its
        ///     text or 8 for a number.
        public func setAttribute(_ name: String, to value: some ValueConvertible) throws(Refusal) {
            let status = AttributeList.withPointer([name: value]) { attribute, _ in
                epitaph_scope_attribute_set(token, attribute)
            }
            switch status {
            case EPITAPH_OK: return
            case EPITAPH_NO_ROOM:
                throw Refusal(
                    .limitReached,
                    "\"\(name)\": the attributes of a scope have 1,720 bytes together")
            default:
                guard (1...255).contains(name.utf8.count) else {
                    throw Refusal(
                        .invalidArgument,
                        "\"\(name)\": the name of an attribute has 1 to 255 bytes")
                }
                throw Refusal(
                    .limitReached, "there are 4,096 scopes already: this one has no place")
            }
        }
    }
}

extension Epitaph {
    /// Runs code in a scope of its own. The report of a crash in it has the attributes and
    /// breadcrumbs of this scope besides those of the process, and none of other scopes.
    ///
    ///     await Epitaph.scope(["request": id, "route": "/orders"]) {
    ///         await handle(request)
    ///     }
    ///
    /// Child tasks and tasks made with `Task { }` inherit the scope; detached tasks and threads do
    /// not. Scopes can be nested: an attribute of an inner scope takes precedence over one of the
    /// same name in an outer scope or in the process. `TaskScope.current` is the innermost scope,
    /// for attributes that become known later.
    ///
    /// There can be 4,096 scopes at a time. If there are more, or if it cannot be proved which task
    /// crashed, the report says that the scope is missing; see docs/attributes.md.
    ///
    /// - Parameters:
    ///   - attributes: they share 1,720 bytes. Those that have no room are left out, which the
    ///     report says.
    ///   - operation: the code that runs in the scope.
    public static func scope<Result>(
        _ attributes: [String: any Epitaph.ValueConvertible], _ operation: () throws -> Result
    ) rethrows -> Result {
        guard CrashReporter.isStarted.load(ordering: .relaxed) else { return try operation() }
        TaskScopeTrial.begin()
        let task = RunningTask.address
        let scope = TaskScope(attributes, inside: .current, isInTask: task != 0)
        defer { withExtendedLifetime(scope) {} }
        // Without a task this is an ordinary thread, and the code stays on it.
        let outer = task == 0 ? epitaph_thread_scope_replace(scope.token) : 0
        defer { if task == 0 { _ = epitaph_thread_scope_replace(outer) } }
        return try ScopeReference.$current.withValue(ScopeReference(scope)) {
            if task != 0 { epitaph_task_scope_check(UInt64(task), scope.token) }
            return try operation()
        }
    }

    /// The same for asynchronous code.
    public static func scope<Result>(
        _ attributes: [String: any Epitaph.ValueConvertible],
        isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws -> Result
    ) async rethrows -> Result {
        guard CrashReporter.isStarted.load(ordering: .relaxed) else {
            return try await operation()
        }
        TaskScopeTrial.begin()
        let scope = TaskScope(attributes, inside: .current, isInTask: true)
        defer { withExtendedLifetime(scope) {} }
        return try await ScopeReference.$current.withValue(ScopeReference(scope)) {
            epitaph_task_scope_check(UInt64(RunningTask.address), scope.token)
            return try await operation()
        }
    }
}

/// The task-local value of a scope. The crash handler recognises it by the two words at its end.
struct ScopeReference: Sendable {
    let scope: TaskScope?
    let token: UInt64
    let check: UInt64

    init(_ scope: TaskScope) {
        self.scope = scope
        token = scope.token
        check = epitaph_scope_check_word(token)
    }

    /// A reference to no scope.
    init(token: UInt64) {
        scope = nil
        self.token = token
        check = epitaph_scope_check_word(token)
    }

    @TaskLocal static var current = ScopeReference(token: 0)
}

/// The task that runs the calling code.
enum RunningTask {
    /// 0 if there is none.
    static var address: UInt {
        withUnsafeCurrentTask { task in
            guard let task, MemoryLayout<UnsafeCurrentTask>.size == MemoryLayout<UInt>.size else {
                return 0
            }
            return unsafeBitCast(task, to: UInt.self)
        }
    }
}
