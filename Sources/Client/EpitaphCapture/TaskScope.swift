// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames
import Synchronization

extension Epitaph {
    /// Attributes and breadcrumbs of one piece of work, such as a request. Created by
    /// `Epitaph.scope`; lives until that call returns and all tasks started in it have ended.
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

        /// Innermost scope of the running code, if any.
        public static var current: TaskScope? { ScopeReference.current.scope }

        /// Scope with which a crash here is reported: the task's or else the thread's. 0 for none.
        package static var tokenOfCaller: UInt64 {
            RunningTask.address == 0 ? epitaph_thread_scope() : ScopeReference.current.token
        }

        /// Sets or replaces an attribute of this scope. Thread-safe.
        ///
        /// - Parameters:
        ///   - name: 1 to 255 bytes.
        ///   - value: attributes of a scope share 1,720 bytes: 4 each, plus the name, plus the text
        ///     or 8 for a number.
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

    /// Runs code in a scope of its own. Crashes in it report the attributes and breadcrumbs of this
    /// scope besides those of the process, and none of unrelated scopes.
    ///
    ///     await Epitaph.scope(["request": id, "route": "/orders"]) {
    ///         await handle(request)
    ///     }
    ///
    /// Child tasks and `Task { }` inherit the scope; detached tasks and threads do not. In nested
    /// scopes, inner attributes override outer ones and the process's. `TaskScope.current` is the
    /// innermost scope, for attributes known later.
    ///
    /// At most 4,096 scopes exist at once. Beyond that, or if the crashed task cannot be
    /// determined, the report says that the scope is missing; see docs/attributes.md.
    ///
    /// - Parameters:
    ///   - attributes: share 1,720 bytes; the report mentions those that did not fit.
    ///   - operation: runs in the scope.
    public static func scope<Result>(
        _ attributes: [String: any Epitaph.ValueConvertible], _ operation: () throws -> Result
    ) rethrows -> Result {
        guard CrashReporter.isStarted.load(ordering: .relaxed) else { return try operation() }
        TaskScopeTrial.begin()
        let task = RunningTask.address
        let scope = TaskScope(attributes, inside: .current, isInTask: task != 0)
        defer { withExtendedLifetime(scope) {} }
        // Without a task, the code stays on this thread.
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

/// The task-local value of a scope. The crash handler recognises it by its last two words.
struct ScopeReference: Sendable {
    let scope: TaskScope?
    let token: UInt64
    let check: UInt64

    init(_ scope: TaskScope) {
        self.scope = scope
        token = scope.token
        check = epitaph_scope_check_word(token)
    }

    init(token: UInt64) {
        scope = nil
        self.token = token
        check = epitaph_scope_check_word(token)
    }

    @TaskLocal static var current = ScopeReference(token: 0)
}

enum RunningTask {
    /// The task that runs the calling code; 0 if there is none.
    static var address: UInt {
        withUnsafeCurrentTask { task in
            guard let task, MemoryLayout<UnsafeCurrentTask>.size == MemoryLayout<UInt>.size else {
                return 0
            }
            return unsafeBitCast(task, to: UInt.self)
        }
    }
}
