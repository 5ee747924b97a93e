package dev.resilience.spring.slice;

import org.springframework.data.jpa.repository.JpaRepository;

interface Orders extends JpaRepository<Order, String> {}
