// SPDX-License-Identifier: Apache-2.0

import CEpitaph

/// Attributes and breadcrumbs of one piece of work, such as a request. Made by
/// `CrashReporter.withScope`; it lasts as long as that, and as long as a task that was started
/// there.
public final class TaskScope: Sendable {
    let token: UInt64
    private let parent: TaskScope?

    fileprivate init(
        _ attributes: [String: AttributeValue], inside parent: TaskScope?, isInTask: Bool
    ) {
        self.parent = parent
        let outer = parent?.token ?? (isInTask ? 0 : epitaph_thread_scope())
        token = AttributeList.withPointer(attributes) { epitaph_scope_make(outer, $0, $1) }
    }

    deinit {
        epitaph_scope_free(token)
    }

    /// The innermost scope that this code runs in; nil outside of all.
    public static var current: TaskScope? { ScopeReference.current.scope }

    /// Sets an attribute of this scope, or replaces it. From any thread.
    ///
    /// - Parameters:
    ///   - name: 1 to 255 bytes.
    ///   - value: all attributes of a scope have 1,720 bytes together: 4 each, their names, and
    ///     their texts or 8 for a number.
    public func setAttribute(_ name: String, to value: AttributeValue) throws(ScopeError) {
        let status = AttributeList.withPointer([name: value]) { attribute, _ in
            epitaph_scope_attribute_set(token, attribute)
        }
        switch status {
        case EPITAPH_OK: return
        case EPITAPH_NO_ROOM: throw .noRoom(name)
        default:
            guard (1...255).contains(name.utf8.count) else { throw .invalidName(name) }
            throw .noPlace
        }
    }
}

/// An attribute of a scope that could not be set.
public enum ScopeError: Error, Equatable, CustomStringConvertible {
    /// The name is empty or longer than 255 bytes.
    case invalidName(String)
    /// The attributes of the scope have used up its 1,720 bytes; the report counts what is missing.
    case noRoom(String)
    /// 4,096 other scopes existed when this one was made; a report says that it is missing.
    case noPlace

    public var description: String {
        switch self {
        case .invalidName(let name): "\"\(name)\": the name of an attribute has 1 to 255 bytes"
        case .noRoom(let name): "\"\(name)\": the attributes of a scope have 1,720 bytes together"
        case .noPlace: "there are 4,096 scopes already: this one has no place"
        }
    }
}

extension CrashReporter {
    /// Runs code in a scope of its own: a crash in it has these attributes and the breadcrumbs of
    /// the scope in its report, besides those of the process, and nobody else's.
    ///
    ///     await reporter.withScope(["request": .string(id), "route": "/orders"]) {
    ///         await handle(request)
    ///     }
    ///
    /// Child tasks and tasks made with `Task { }` inherit the scope; detached tasks and threads do
    /// not. Scopes nest: an attribute of the inner one counts more than one of the same name
    /// outside, and that more than one of the process. `TaskScope.current` is the innermost one,
    /// for attributes that become known later.
    ///
    /// 4,096 scopes can exist at once. Of work that is in a further one, and where it cannot be
    /// proved which task crashed, the report says that the scope is missing; see
    /// docs/attributes.md.
    ///
    /// - Parameters:
    ///   - attributes: 1,720 bytes together; what finds no room is left out, which the report says.
    ///   - operation: what runs in the scope.
    public func withScope<Result>(
        _ attributes: [String: AttributeValue], _ operation: () throws -> Result
    ) rethrows -> Result {
        TaskScopeTrial.begin()
        let task = RunningTask.address
        let scope = TaskScope(attributes, inside: .current, isInTask: task != 0)
        defer { withExtendedLifetime(scope) {} }
        // Where there is no task there is a thread, and this code does not leave it.
        let outer = task == 0 ? epitaph_thread_scope_replace(scope.token) : 0
        defer { if task == 0 { _ = epitaph_thread_scope_replace(outer) } }
        return try ScopeReference.$current.withValue(ScopeReference(scope)) {
            if task != 0 { epitaph_task_scope_check(UInt64(task), scope.token) }
            return try operation()
        }
    }

    /// The same for code that waits.
    public func withScope<Result>(
        _ attributes: [String: AttributeValue], isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws -> Result
    ) async rethrows -> Result {
        TaskScopeTrial.begin()
        let scope = TaskScope(attributes, inside: .current, isInTask: true)
        defer { withExtendedLifetime(scope) {} }
        return try await ScopeReference.$current.withValue(ScopeReference(scope)) {
            epitaph_task_scope_check(UInt64(RunningTask.address), scope.token)
            return try await operation()
        }
    }
}

/// What a task keeps of its scope. A crash recognises it by the two words at its end.
struct ScopeReference: Sendable {
    let scope: TaskScope?
    let token: UInt64
    let check: UInt64

    init(_ scope: TaskScope) {
        self.scope = scope
        token = scope.token
        check = epitaph_scope_check_word(token)
    }

    /// One that stands for no scope.
    init(token: UInt64) {
        scope = nil
        self.token = token
        check = epitaph_scope_check_word(token)
    }

    @TaskLocal static var current = ScopeReference(token: 0)
}

/// The task that runs this code.
enum RunningTask {
    /// 0 for none.
    static var address: UInt {
        withUnsafeCurrentTask { task in
            guard let task, MemoryLayout<UnsafeCurrentTask>.size == MemoryLayout<UInt>.size else {
                return 0
            }
            return unsafeBitCast(task, to: UInt.self)
        }
    }
}
