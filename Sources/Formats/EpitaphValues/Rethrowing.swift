// SPDX-License-Identifier: Apache-2.0

/// The value of an expression that fails in one way, for a caller that fails in another.
@inlinable
package func rethrowing<Value, Cause: Error, Failure: Error>(
    _ value: @autoclosure () throws(Cause) -> Value, as failure: (Cause) -> Failure
) throws(Failure) -> Value {
    do throws(Cause) {
        return try value()
    } catch {
        throw failure(error)
    }
}
