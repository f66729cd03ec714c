// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization

/// The context of now. A reader gets it whole, as it was before a change or as it is after.
public final class CurrentContext: Sendable {
    private let value: Mutex<Context>

    /// - Parameter context: what is known at the start.
    public init(_ context: Context = Context()) {
        value = Mutex(context.bounded)
    }

    /// The context as it is now. From any thread.
    public var snapshot: Context { value.withLock { $0 } }

    /// Changes the context; all that `change` does becomes visible at once. From any thread. Texts
    /// are cut to `Context.textLimitBytes`.
    ///
    /// - Parameter change: called with no other change under way; it must not change or read this
    ///   context by another way than its argument.
    public func update(_ change: (inout Context) -> Void) {
        value.withLock { context in
            change(&context)
            context = context.bounded
        }
    }
}
