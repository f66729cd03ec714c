// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// The present context. Changes are atomic for readers.
    public final class CurrentContext: Sendable {
        private let value: ForkSafeMutex<Context>

        public init(_ context: Context = Context()) {
            value = ForkSafeMutex(context.bounded)
        }

        /// The present context. From any thread.
        public var snapshot: Context { value.withLock { $0 } }

        /// Changes the context atomically, from any thread. Texts are cut to
        /// `Context.textLimitBytes`.
        ///
        /// - Parameter change: called under a lock. Must use this context only through its
        ///   argument.
        public func update(_ change: (inout Context) -> Void) {
            value.withLock { context in
                change(&context)
                context = context.bounded
            }
        }
    }
}
