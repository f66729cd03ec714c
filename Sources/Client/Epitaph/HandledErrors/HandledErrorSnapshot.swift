// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct HandledErrorSnapshot {
    let error: HandledError
    let place: ErrorPlace?
    /// Nil if all threads were captured, or if there was no memory.
    let stack: CallerStack?
    let scope: CallerScope?
    let timeNanoseconds: UInt64
    /// The errors that followed the first; nil for the report of the first.
    let followUp: FloodControl.FollowUp?
    /// The latest of those, oldest first.
    let repeats: [RepeatedError]

    func applied(to process: ProcessSnapshot) -> ProcessSnapshot {
        var snapshot = process
        var request = snapshot.request ?? ReportRequest(kind: .handledError)
        request.kind = .handledError
        snapshot.request = request
        if let stack { put(stack, into: &snapshot) }
        scope?.add(&snapshot)
        snapshot.messages.insert(
            CrashMessage(source: ProcessSnapshot.errorMessageSource, text: error.sentence), at: 0)
        let own = annotations
        let names = Set(own.map(\.name))
        // The error's own annotations take precedence over those of the process.
        snapshot.annotations.removeAll { names.contains($0.name) }
        snapshot.annotations += own
        // The snapshot is made a little later than the error.
        snapshot.breadcrumbs.removeAll { $0.timeNanoseconds > timeNanoseconds }
        addRepeats(to: &snapshot)
        if error.isCut {
            snapshot.damage.append(
                Damage(
                    stage: .capture, subject: "handled error",
                    reason: "more was said about it than is kept"))
        }
        return snapshot
    }

    /// Breadcrumbs have all that tells one error from another: a time, a text, attributes.
    private func addRepeats(to snapshot: inout ProcessSnapshot) {
        let last = snapshot.breadcrumbs.map(\.number).max() ?? 0
        for (offset, repeated) in repeats.enumerated() {
            var breadcrumb = Breadcrumb(
                number: last &+ UInt64(offset) &+ 1, timeNanoseconds: repeated.timeNanoseconds,
                level: .error, category: "error-repeat", message: repeated.error.sentence)
            breadcrumb.attributes = repeated.attributes
            breadcrumb.isCut = repeated.error.isCut
            snapshot.breadcrumbs.append(breadcrumb)
        }
    }

    private func put(_ stack: CallerStack, into snapshot: inout ProcessSnapshot) {
        let (thread, contexts) = stack.thread(in: snapshot.mappings)
        snapshot.threads = [thread]
        snapshot.request?.subjectThreadID = thread.id
        snapshot.request?.includesAllThreads = false
        snapshot.memory = contexts
        if stack.isCut {
            snapshot.damage.append(
                Damage(
                    stage: .capture, subject: thread.damageSubject,
                    reason: "the outermost part of its stack was not copied"))
        }
    }

    private var annotations: [Annotation] {
        var list = error.properties.inKeyOrder.map {
            Annotation(name: $0.key, value: $0.value)
        }
        func add(_ name: String, _ value: String?) {
            guard let value else { return }
            list.removeAll { $0.name == name }
            list.append(Annotation(name: name, value: value))
        }
        add("error-type", error.type)
        add("error-domain", error.domain)
        add("error-code", error.code.map(String.init))
        add("error-source", place.map { "\($0.fileID):\($0.line)" })
        add("error-stack-trace", error.stackTrace)
        if let followUp {
            add("error-repeats", String(followUp.count))
            add("error-repeats-seconds", String(followUp.seconds))
        }
        return list
    }
}

extension RepeatedError {
    fileprivate var attributes: [Annotation] {
        let own = error.properties.inKeyOrder.map {
            Annotation(name: $0.key, value: $0.value)
        }
        var ofScope = ProcessSnapshot(architecture: .x86_64)
        scope?.add(&ofScope)
        // The breadcrumb is not the task's whose scope that was.
        for index in ofScope.annotations.indices { ofScope.annotations[index].isOfTask = false }
        return own + ofScope.annotations.filter { error.properties[$0.name] == nil }
    }
}
