// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Synchronization

extension Epitaph {
    /// The present context. A reader always gets a complete one, as it was before or after a
    /// change.
    public final class CurrentContext: Sendable {
        private let value: Mutex<Context>

        /// - Parameter context: the initial context.
        public init(_ context: Context = Context()) {
            value = Mutex(context.bounded)
        }

        /// The present context. From any thread.
        public var snapshot: Context { value.withLock { $0 } }

        /// Changes the context. Everything that `change` does becomes visible at once. From any
        /// thread. Texts are cut to `Context.textLimitBytes`.
        ///
        /// - Parameter change: called while no other change is in progress. It must use this
        ///   context only through its argument.
        public func update(_ change: (inout Context) -> Void) {
            value.withLock { context in
                change(&context)
                context = context.bounded
            }
        }
    }
}
