# Asynchronous reads and writes.

@cython.no_gc_clear  # a helper thread may still use the memory
cdef class Request:
    """A read or write that a helper thread carries out. `read_async` and `write_async` return one.

    You can await it. Closing the array waits for its requests.
    """

    cdef drx_request *_req
    cdef Handle _array
    cdef object _lock
    cdef object _error
    cdef readonly object _memory

    def __init__(self, Handle array, memory):
        self._array = array
        self._memory = memory
        self._lock = threading.Lock()

    def __dealloc__(self):
        if self._req != NULL:
            with nogil:
                drx_wait(self._req)

    def done(self):
        """bool: whether it is done. Does not wait."""
        cdef int done = 1

        if not self._lock.acquire(False):
            return False  # another thread waits for it
        if self._req != NULL:
            drx_test(self._req, &done)
        self._lock.release()
        return bool(done)

    def _finish(self):
        """Wait until it is done. The error, or None."""
        cdef drx_request *req
        cdef drx_status st

        with self._lock:
            req = self._req
            if req == NULL:
                return self._error
            with nogil:
                st = drx_wait(req)
            self._req = NULL
            if st != DRX_OK:
                self._error = error_of(st, self._array.path)
        self._array._requests.discard(self)
        return self._error

    def wait(self):
        """Wait until it is done.

        Returns
        -------
        numpy.ndarray
            The array that was read or written.

        Raises
        ------
        OSError and others
            As the blocking call.
        """
        error = self._finish()
        if error is not None:
            raise error
        return self._memory

    def __await__(self):
        import asyncio

        return asyncio.get_running_loop().run_in_executor(None, self.wait).__await__()
